import { Module } from '@nestjs/common';
import { AgentRegistry } from '../../agent/index.js';
import { DEFAULT_TENANT } from '../../common/index.js';
import { AppConfig } from '../../config/index.js';
import { Interrupts } from '../../interrupt/index.js';
import { Runs } from '../../run/index.js';
import { SessionModule, Sessions } from '../../session/index.js';
import { AgUiRuns, keyCaseOf } from '../ag-ui-events/index.js';
import { EncoderRegistry, HttpModule } from '../http/index.js';
import { AgUiController } from './ag-ui.controller.js';
import { AgUiReader } from './ag-ui.reader.js';
import { BinaryStreams } from './binary-streams.js';

/** AG-UI. Needs `Runs`, `Interrupts`, `AgentRegistry` and `AppConfig` from global modules. */
@Module({
  imports: [HttpModule, SessionModule],
  controllers: [AgUiController],
  providers: [
    AgUiReader,
    BinaryStreams,
    {
      provide: AgUiRuns,
      inject: [Runs, Sessions, Interrupts, AgentRegistry],
      useFactory: (runs: Runs, sessions: Sessions, interrupts: Interrupts, agents: AgentRegistry) =>
        new AgUiRuns({ runs, sessions, interrupts, agents }),
    },
  ],
})
export class AgUiModule {
  constructor(encoders: EncoderRegistry, runs: AgUiRuns, { agUi }: AppConfig) {
    encoders.register('ag-ui', (run) => {
      const principal = { tenantId: DEFAULT_TENANT, userId: run.userId };
      const { protocolVersion } = run.wireData;
      // A run of another wire has no client that asked for copies of the keys; both generations read camelCase.
      const announced = run.wire !== 'ag-ui' || typeof protocolVersion === 'string' ? '1.0' : undefined;
      return runs.encoderOf(principal, run, { keyCase: keyCaseOf(agUi.keyCase, announced) });
    });
  }
}
