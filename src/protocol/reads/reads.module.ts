import { Module } from '@nestjs/common';
import { ToolsModule } from '../../agent/tools/index.js';
import { HttpModule } from '../http/index.js';
import { WireModule } from '../wire/index.js';
import { AttachmentListController } from './attachment-list.controller.js';
import { CatalogController } from './catalog.controller.js';
import { ConsoleController } from './console.controller.js';
import { ModelTrials } from './model-trials.js';
import { ModelServersController } from './model-servers.controller.js';
import { RunChangesController } from './runs/run-changes.controller.js';
import { RunFramesService } from './runs/run-frames.service.js';
import { RunLogController } from './runs/run-log.controller.js';
import { RunLogService } from './runs/run-log.service.js';
import { RunsReadController } from './runs/runs-read.controller.js';
import { SessionsController } from './sessions.controller.js';

/** What people look at, and the console reads: runs, sessions, agents, tools. Needs `Runs` from a global module. */
@Module({
  imports: [HttpModule, WireModule, ToolsModule],
  controllers: [
    RunChangesController,
    RunsReadController,
    RunLogController,
    SessionsController,
    AttachmentListController,
    CatalogController,
    ModelServersController,
    ConsoleController,
  ],
  providers: [ModelTrials, RunLogService, RunFramesService],
})
export class ReadsModule {}
