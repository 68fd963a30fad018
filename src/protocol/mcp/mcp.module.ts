import { Module } from '@nestjs/common';
import { AttachmentModule } from '../../agent/attachment/index.js';
import { SessionModule } from '../../agent/session/index.js';
import { ToolsModule } from '../../agent/tools/index.js';
import { WireModule } from '../wire/index.js';
import { AnswerStreams } from './answer-streams.js';
import { CallFolds } from './call-folds.js';
import { CallRetries } from './call-retries.js';
import { CallService } from './call.service.js';
import { CallStreams } from './call-streams.js';
import { CallSubmission } from './call-submission.js';
import { CallWaits } from './call-waits.js';
import { Calls } from './calls.js';
import { FormAnswers } from './form-answers.js';
import { LegacySessions } from './legacy-sessions.js';
import { McpController, ResourceMetadataController } from './mcp.controller.js';
import { McpMethods } from './mcp.methods.js';
import { McpService } from './mcp.service.js';
import { McpSessions } from './mcp-sessions.js';
import { McpWire } from './mcp.wire.js';
import { NextRuns } from './next-runs.js';
import { ResourcesService } from './resources.service.js';
import { RunTools } from './run-tools.js';
import { Seals } from './seals.js';
import { SessionCalls } from './session-calls.js';
import { StreamEnds } from './stream-ends.js';
import { TasksService } from './tasks.service.js';
import { ToolsService } from './tools.service.js';
import { CallArguments } from './tools/call-arguments.js';
import { ToolList } from './tools/tool-list.js';

/** The MCP server. Needs `Runs`, `RunChains`, `Interrupts`, `UsedTickets` and the settings from global modules. */
@Module({
  imports: [WireModule, SessionModule, ToolsModule, AttachmentModule],
  controllers: [McpController, ResourceMetadataController],
  providers: [
    McpWire,
    McpService,
    McpMethods,
    McpSessions,
    LegacySessions,
    SessionCalls,
    AnswerStreams,
    CallArguments,
    CallFolds,
    CallRetries,
    CallService,
    CallStreams,
    CallSubmission,
    CallWaits,
    Calls,
    FormAnswers,
    NextRuns,
    ResourcesService,
    RunTools,
    Seals,
    StreamEnds,
    TasksService,
    ToolList,
    ToolsService,
  ],
})
export class McpModule {}
