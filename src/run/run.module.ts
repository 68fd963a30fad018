import { Global, Module } from '@nestjs/common';
import { InterruptModule } from '../interrupt/index.js';
import { SessionModule } from '../session/index.js';
import { EmbeddedDispatcher } from './dispatch/embedded-dispatcher.js';
import { InProcessAnnouncements } from './log/in-process-announcements.js';
import { TypeOrmRunLog } from './adapters/typeorm-run-log.js';
import { TypeOrmRunRemover } from './adapters/typeorm-run-remover.js';
import { TypeOrmRunStore } from './adapters/typeorm-run-store.js';
import { AgentQuestions } from './execute/agent-questions.js';
import { RunContextFactory } from './execute/run-context.factory.js';
import { RunExecutor } from './execute/run-executor.js';
import { RunOpening } from './execute/run-opening.js';
import { RunPast } from './execute/run-past.js';
import { RunRecovery } from './execute/run-recovery.js';
import { UnreadableRuns } from './execute/unreadable-runs.js';
import { GroupCommit } from './log/group-commit.js';
import { RunFeeds } from './log/run-feeds.js';
import { RunReader } from './log/run-reader.js';
import { RunTail } from './log/run-tail.js';
import { SessionFollower } from './log/session-follower.js';
import { ToolsModule } from '../tools/index.js';
import { Dispatcher } from './ports/dispatcher.js';
import { RunAnnouncements } from './ports/run-announcements.js';
import { RunLog } from './ports/run-log.js';
import { RunRemover } from './ports/run-remover.js';
import { RunStore } from './ports/run-store.js';
import { RunAdmission } from './accept/run-admission.js';
import { RunAnswers } from './accept/run-answers.js';
import { RunCancel } from './end/run-cancel.js';
import { RetainedSummaries } from './end/retained-summaries.js';
import { RunEndings } from './end/run-endings.js';
import { RunEnds } from './end/run-ends.js';
import { RunRetention } from './end/run-retention.js';
import { RunRemoval } from './end/run-removal.js';
import { RunService } from './run.service.js';
import { Runs } from './ports/runs.js';

/** Runs: accept, execute, log, tail, cancel, recover. Needs the global database, configuration, clock, agents and user settings. */
@Global()
@Module({
  imports: [SessionModule, InterruptModule, ToolsModule],
  providers: [
    { provide: RunStore, useClass: TypeOrmRunStore },
    { provide: RunLog, useClass: TypeOrmRunLog },
    { provide: RunRemover, useClass: TypeOrmRunRemover },
    { provide: RunAnnouncements, useClass: InProcessAnnouncements },
    { provide: Dispatcher, useClass: EmbeddedDispatcher },
    { provide: Runs, useClass: RunService },
    GroupCommit,
    RunFeeds,
    RunTail,
    RunReader,
    SessionFollower,
    RunRecovery,
    RunOpening,
    AgentQuestions,
    RunPast,
    RunContextFactory,
    UnreadableRuns,
    RunExecutor,
    RunAdmission,
    RunAnswers,
    RunCancel,
    RunEndings,
    RunRemoval,
    RunEnds,
    RetainedSummaries,
    RunRetention,
  ],
  exports: [Runs, RetainedSummaries, Dispatcher, InterruptModule],
})
export class RunModule {}
