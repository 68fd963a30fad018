import { Module } from '@nestjs/common';
import { SessionModule } from '../../agent/session/index.js';
import { AG_UI_RUNS } from '../ag-ui-events/index.js';
import { WireModule } from '../wire/index.js';
import { AgUiController } from './ag-ui.controller.js';
import { AgUiWire } from './ag-ui.wire.js';

/** AG-UI. Needs `Runs`, `AgentRegistry` and the settings from global modules. */
@Module({
  imports: [WireModule, SessionModule],
  controllers: [AgUiController],
  providers: [AgUiWire, AG_UI_RUNS],
})
export class AgUiModule {}
