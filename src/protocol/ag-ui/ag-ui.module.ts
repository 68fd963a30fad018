import { Module } from '@nestjs/common';
import { AgentRegistry } from '../../agent/index.js';
import { Interrupts } from '../../interrupt/index.js';
import { Runs } from '../../run/index.js';
import { SessionModule, Sessions } from '../../session/index.js';
import { AgUiRuns } from '../ag-ui-events/index.js';
import { WireModule } from '../wire/index.js';
import { AgUiController } from './ag-ui.controller.js';
import { AgUiReader } from './ag-ui.reader.js';
import { AgUiWire } from './ag-ui.wire.js';
import { BinaryStreams } from './binary-streams.js';

/** AG-UI. Needs `Runs`, `Interrupts`, `AgentRegistry` and the settings from global modules. */
@Module({
  imports: [WireModule, SessionModule],
  controllers: [AgUiController],
  providers: [
    AgUiWire,
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
export class AgUiModule {}
