import { Module } from '@nestjs/common';
import { SessionModule } from '../../session/index.js';
import { AgUiRuns } from './ag-ui-runs.js';

/** What the wires that speak AG-UI share. Needs `Runs`, `Interrupts` and `AgentRegistry` from global modules. */
@Module({ imports: [SessionModule], providers: [AgUiRuns], exports: [AgUiRuns] })
export class AgUiEventsModule {}
