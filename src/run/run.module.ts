import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { Metrics } from '../common/index.js';
import { UserCleaners } from '../data-protection/index.js';
import { RedisSettings } from '../config/index.js';
import { Database, databaseIdentity } from '../database/index.js';
import { InterruptModule } from '../agent/interrupt/index.js';
import { SessionCleaners, SessionModule } from '../agent/session/index.js';
import { ToolsModule } from '../agent/tools/index.js';
import { AcceptTransaction } from './accept/accept-transaction.js';
import { RunAcceptance } from './accept/run-acceptance.js';
import { EncoderRevisions } from './accept/encoder-revisions.js';
import { AuthorityCheck } from './accept/authority-check.js';
import { RunPreparation } from './accept/run-preparation.js';
import { StartBudgets, StartLimits } from './accept/start-limits.js';
import { BullMqTickets } from './adapters/redis/bullmq-tickets.js';
import { LocalRelay } from './adapters/local/local-relay.js';
import { LedgerMetrics } from './adapters/sql/ledger.metrics.js';
import { LocalTickets } from './adapters/local/local-tickets.js';
import { RedisRelay } from './adapters/redis/redis-relay.js';
import { SqlIdleSessions } from './adapters/sql/idle-sessions.sql.js';
import { SqlRunChains } from './adapters/sql/run-chains.sql.js';
import { SqlRunLeases } from './adapters/sql/run-leases.sql.js';
import { SqlLogCompaction } from './adapters/sql/log-compaction.sql.js';
import { SqlLogPartitions } from './adapters/sql/log-partitions.sql.js';
import { SqlLogPruning } from './adapters/sql/log-pruning.sql.js';
import { SqlRunListings } from './adapters/sql/run-listings.sql.js';
import { SqlRunSearch } from './adapters/sql/run-search.sql.js';
import { SqlRunStore } from './adapters/sql/run-store.sql.js';
import { SqlUserSessions } from './adapters/sql/user-sessions.sql.js';
import { SqlWorkerRegistry } from './adapters/sql/worker-registry.sql.js';
import { EventLoopLag } from './dispatch/event-loop-lag.js';
import { ExecutionSlots } from './dispatch/execution-slots.js';
import { Executions } from './dispatch/executions.js';
import { HeldRuns } from './dispatch/held-runs.js';
import { LedgerDispatcher } from './dispatch/ledger-dispatcher.js';
import { LedgerSweep } from './dispatch/ledger-sweep.js';
import { TicketIntake } from './dispatch/ticket-intake.js';
import { WorkerLease } from './dispatch/worker-lease.js';
import { WorkerSignals } from './dispatch/worker-signals.js';
import { ConversationChore, ConversationRetention } from './end/conversation-retention.js';
import { CancelRuns } from './end/cancel-runs.js';
import { EndRuns } from './end/end-runs.js';
import { UserSessionCleaner } from './end/erase-user-sessions.js';
import { OverdueRuns } from './end/overdue-runs.js';
import { RemoveRuns, RemovalTransaction } from './end/remove-runs.js';
import { RetainedSummaries } from './end/retained-summaries.js';
import { PartitionChore, RunChores } from './end/run-chores.js';
import { RunCompaction } from './end/compact-runs.js';
import { RunPruning, RunRetention } from './end/prune-runs.js';
import { RunSignals } from './end/run-signals.js';
import { AgentInputs } from './execute/agent-inputs.js';
import { ExecutionReports } from './execute/execution-reports.js';
import { RunContextFactory } from './execute/run-context.factory.js';
import { RunExecutor } from './execute/run-executor.js';
import { RunPasts } from './execute/run-past.js';
import { RunSpending } from './execute/run-spending.js';
import { RunRecovery } from './execute/run-recovery.js';
import { RunSessionFactory } from './execute/run-session.factory.js';
import { StartingPoints } from './execute/starting-point.js';
import { GroupCommit } from './log/group-commit.js';
import { LogCommit } from './log/log-commit.js';
import { RunFeeds } from './log/run-feeds.js';
import { RunReader } from './log/run-reader.js';
import { RunWatch } from './log/run-watch.js';
import { Dispatcher } from './ports/dispatcher.js';
import { RunCauses } from './ports/run-causes.js';
import { IdleSessions } from './ports/idle-sessions.js';
import { RunChains } from './ports/run-chains.js';
import { RunLeases } from './ports/run-leases.js';
import type { RunLimits } from './ports/run-limits.js';
import { LogCompaction } from './ports/log-compaction.js';
import { LogPartitions } from './ports/log-partitions.js';
import { LogPruning } from './ports/log-pruning.js';
import { RunListings } from './ports/run-listings.js';
import { RunQueries } from './ports/run-queries.js';
import { RunRelay } from './ports/run-relay.js';
import { RunSearch } from './ports/run-search.js';
import { RunStore } from './ports/run-store.js';
import { RunTickets } from './ports/run-tickets.js';
import { Runs } from './ports/runs.js';
import { UserSessions } from './ports/user-sessions.js';
import { WorkerRegistry } from './ports/worker-registry.js';
import { RunListWatch } from './query/run-list-watch.js';
import { RunQueryService } from './query/run-query.service.js';
import { RunExportModule } from './run-export.module.js';
import { RunLedger, RunStores } from './run-ledger.js';
import { HintMetrics } from './hint.metrics.js';
import { RunMetrics } from './run.metrics.js';
import { RunService } from './run.service.js';

/** Runs: accept, execute, log, read, end. Needs the global database, settings, clock, agents and user settings. */
@Global()
@Module({
  imports: [SessionModule, InterruptModule, ToolsModule, RunExportModule],
  providers: [
    { provide: RunStore, useClass: SqlRunStore },
    { provide: RunLeases, useClass: SqlRunLeases },
    { provide: RunSearch, useClass: SqlRunSearch },
    { provide: RunListings, useClass: SqlRunListings },
    { provide: RunChains, useClass: SqlRunChains },
    { provide: IdleSessions, useClass: SqlIdleSessions },
    { provide: LogCompaction, useClass: SqlLogCompaction },
    { provide: LogPruning, useClass: SqlLogPruning },
    {
      provide: LogPartitions,
      useFactory: (database: Database, metrics: Metrics) => new SqlLogPartitions(database, metrics),
      inject: [Database, Metrics],
    },
    { provide: UserSessions, useClass: SqlUserSessions },
    { provide: WorkerRegistry, useClass: SqlWorkerRegistry },
    { provide: RunRelay, useFactory: relayOf, inject: [RedisSettings, Database, HintMetrics] },
    {
      provide: RunTickets,
      useFactory: ticketsOf,
      inject: [RedisSettings, Database, HintMetrics],
    },
    { provide: Dispatcher, useClass: LedgerDispatcher },
    { provide: Runs, useClass: RunService },
    { provide: RunQueries, useClass: RunQueryService },
    RunListWatch,
    RunStores,
    RunLedger,
    RunCauses,
    RunMetrics,
    HintMetrics,
    LedgerMetrics,
    AuthorityCheck,
    EncoderRevisions,
    RunPreparation,
    AcceptTransaction,
    StartBudgets,
    StartLimits,
    RunAcceptance,
    LogCommit,
    GroupCommit,
    RunFeeds,
    RunWatch,
    RunReader,
    AgentInputs,
    StartingPoints,
    RunContextFactory,
    RunPasts,
    RunRecovery,
    RunSpending,
    RunSessionFactory,
    ExecutionReports,
    RunExecutor,
    RunSignals,
    CancelRuns,
    OverdueRuns,
    RemovalTransaction,
    EndRuns,
    RemoveRuns,
    UserSessionCleaner,
    RetainedSummaries,
    RunPruning,
    RunRetention,
    PartitionChore,
    ConversationRetention,
    ConversationChore,
    RunCompaction,
    RunChores,
    EventLoopLag,
    ExecutionSlots,
    HeldRuns,
    Executions,
    LedgerSweep,
    TicketIntake,
    WorkerLease,
    WorkerSignals,
  ],
  exports: [
    Runs,
    RunCauses,
    RunChains,
    RunQueries,
    RunListings,
    RetainedSummaries,
    EncoderRevisions,
    Dispatcher,
    InterruptModule,
  ],
})
export class RunModule {
  constructor(cleaners: SessionCleaners, listings: RunListings, users: UserCleaners, sessions: UserSessionCleaner) {
    cleaners.register(listings);
    users.register(sessions);
  }

  /** @param limits binds `RunLimits`, for example `{ provide: RunLimits, useExisting: OwnerRates }` */
  static forRoot(limits: Provider<RunLimits>): DynamicModule {
    return { module: RunModule, providers: [limits] };
  }
}

/** Tickets for all processes on one database, where there may be several that share a Redis. */
async function ticketsOf({ url }: RedisSettings, database: Database, metrics: HintMetrics): Promise<RunTickets> {
  if (url === undefined || database.dialect !== 'postgres') return new LocalTickets();
  return new BullMqTickets(url, `parley-${await databaseIdentity(database.forRuns)}`, metrics);
}

/** Processes on one PostgreSQL exchange events over Redis; those that share an SQLite file watch it. */
function relayOf({ url }: RedisSettings, { dialect }: Database, metrics: HintMetrics): RunRelay {
  return url !== undefined && dialect === 'postgres' ? new RedisRelay(url, metrics) : new LocalRelay();
}
