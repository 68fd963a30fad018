import { Global, Module } from '@nestjs/common';
import { InterruptModule } from '../interrupt/index.js';
import { SessionModule } from '../session/index.js';
import { ToolsModule } from '../tools/index.js';
import { AcceptTransaction } from './accept/accept-transaction.js';
import { RunAcceptance } from './accept/run-acceptance.js';
import { RunPreparation } from './accept/run-preparation.js';
import { TypeOrmRunLeases } from './adapters/typeorm-run-leases.js';
import { TypeOrmRunLog } from './adapters/typeorm-run-log.js';
import { TypeOrmRunStore } from './adapters/typeorm-run-store.js';
import { EmbeddedDispatcher } from './dispatch/embedded-dispatcher.js';
import { LeaseKeeper } from './dispatch/lease-keeper.js';
import { CancelRuns } from './end/cancel-runs.js';
import { OverdueRuns } from './end/overdue-runs.js';
import { RemoveRuns } from './end/remove-runs.js';
import { RetainedSummaries } from './end/retained-summaries.js';
import { RunDeletion } from './end/run-deletion.js';
import { RunRetention } from './end/run-retention.js';
import { AgentInputs } from './execute/agent-inputs.js';
import { RunContextFactory } from './execute/run-context.factory.js';
import { RunExecutor } from './execute/run-executor.js';
import { RunRecovery } from './execute/run-recovery.js';
import { RunSessionFactory } from './execute/run-session.factory.js';
import { StartingPoints } from './execute/starting-point.js';
import { GroupCommit } from './log/group-commit.js';
import { InProcessAnnouncements } from './log/in-process-announcements.js';
import { LogCommit } from './log/log-commit.js';
import { RunFeeds } from './log/run-feeds.js';
import { RunReader } from './log/run-reader.js';
import { Dispatcher } from './ports/dispatcher.js';
import { RunAnnouncements } from './ports/run-announcements.js';
import { RunLeases } from './ports/run-leases.js';
import { RunLog } from './ports/run-log.js';
import { RunStore } from './ports/run-store.js';
import { Runs } from './ports/runs.js';
import { RunLedger } from './run-ledger.js';
import { RunService } from './run.service.js';

/** Runs: accept, execute, log, read, end. Needs the global database, settings, clock, agents and user settings. */
@Global()
@Module({
  imports: [SessionModule, InterruptModule, ToolsModule],
  providers: [
    { provide: RunStore, useClass: TypeOrmRunStore },
    { provide: RunLeases, useClass: TypeOrmRunLeases },
    { provide: RunLog, useClass: TypeOrmRunLog },
    { provide: RunAnnouncements, useClass: InProcessAnnouncements },
    { provide: Dispatcher, useClass: EmbeddedDispatcher },
    { provide: Runs, useClass: RunService },
    RunLedger,
    RunPreparation,
    AcceptTransaction,
    RunAcceptance,
    LogCommit,
    GroupCommit,
    RunFeeds,
    RunReader,
    AgentInputs,
    StartingPoints,
    RunContextFactory,
    RunRecovery,
    RunSessionFactory,
    RunExecutor,
    CancelRuns,
    OverdueRuns,
    RunDeletion,
    RemoveRuns,
    RetainedSummaries,
    RunRetention,
    LeaseKeeper,
  ],
  exports: [Runs, RetainedSummaries, Dispatcher, InterruptModule],
})
export class RunModule {}
