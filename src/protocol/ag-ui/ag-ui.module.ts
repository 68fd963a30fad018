import { Module } from '@nestjs/common';
import { AgUiEventsModule } from '../ag-ui-events/index.js';
import { WireModule } from '../wire/index.js';
import { AgUiController } from './ag-ui.controller.js';
import { AgUiWire } from './ag-ui.wire.js';

/** AG-UI. Needs `Runs`, `AgentRegistry` and the settings from global modules. */
@Module({
  imports: [WireModule, AgUiEventsModule],
  controllers: [AgUiController],
  providers: [AgUiWire],
})
export class AgUiModule {}
