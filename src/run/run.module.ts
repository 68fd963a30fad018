import { Global, Module } from '@nestjs/common';
import { InterruptModule } from '../interrupt/index.js';
import { SessionModule } from '../session/index.js';
import { EmbeddedDispatcher } from './adapters/embedded-dispatcher.js';
import { InProcessAnnouncements } from './adapters/in-process-announcements.js';
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
import { GroupCommit } from './live/group-commit.js';
import { RunFeeds } from './live/run-feeds.js';
import { RunReader } from './live/run-reader.js';
import { RunTail } from './live/run-tail.js';
import { SessionFollower } from './live/session-follower.js';
import { ToolsModule } from '../tools/index.js';
import { Dispatcher } from './ports/dispatcher.js';
import { RunAnnouncements } from './ports/run-announcements.js';
import { RunLog } from './ports/run-log.js';
import { RunRemover } from './ports/run-remover.js';
import { RunStore } from './ports/run-store.js';
import { RunAdmission } from './run-admission.js';
import { RunAnswers } from './run-answers.js';
import { RunCancel } from './run-cancel.js';
import { RunDigests } from './run-digests.js';
import { RunEndings } from './run-endings.js';
import { RunEnds } from './run-ends.js';
import { RunRetention } from './run-retention.js';
import { RunRemoval } from './run-removal.js';
import { RunService } from './run.service.js';
import { Runs } from './runs.js';

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
    RunDigests,
    RunRetention,
  ],
  exports: [Runs, RunDigests, Dispatcher, InterruptModule],
})
export class RunModule {}
