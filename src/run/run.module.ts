import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { Metrics } from '../common/index.js';
import { RedisSettings } from '../config/index.js';
import { Database, databaseIdentity } from '../database/index.js';
import { InterruptModule } from '../interrupt/index.js';
import { SessionCleaners, SessionModule } from '../session/index.js';
import { ToolsModule } from '../tools/index.js';
import { AcceptTransaction } from './accept/accept-transaction.js';
import { RunAcceptance } from './accept/run-acceptance.js';
import { EncoderRevisions } from './accept/encoder-revisions.js';
import { AuthorityCheck } from './accept/authority-check.js';
import { RunPreparation } from './accept/run-preparation.js';
import { StartLimits } from './accept/start-limits.js';
import { BullMqTickets } from './adapters/bullmq-tickets.js';
import { LocalRelay } from './adapters/local-relay.js';
import { LedgerGauges } from './adapters/ledger-gauges.js';
import { LocalTickets } from './adapters/local-tickets.js';
import { RedisRelay } from './adapters/redis-relay.js';
import { TypeOrmRunLeases } from './adapters/typeorm-run-leases.js';
import { TypeOrmLogCompaction } from './adapters/typeorm-log-compaction.js';
import { TypeOrmLogPartitions } from './adapters/typeorm-log-partitions.js';
import { TypeOrmLogPruning } from './adapters/typeorm-log-pruning.js';
import { TypeOrmRunListings } from './adapters/typeorm-run-listings.js';
import { TypeOrmRunLog } from './adapters/typeorm-run-log.js';
import { TypeOrmRunSearch } from './adapters/typeorm-run-search.js';
import { TypeOrmRunStore } from './adapters/typeorm-run-store.js';
import { TypeOrmWorkerRegistry } from './adapters/typeorm-worker-registry.js';
import { EventLoopLag } from './dispatch/event-loop-lag.js';
import { ExecutionSlots } from './dispatch/execution-slots.js';
import { Executions } from './dispatch/executions.js';
import { LeaseKeeper } from './dispatch/lease-keeper.js';
import { LedgerDispatcher } from './dispatch/ledger-dispatcher.js';
import { LedgerSweep } from './dispatch/ledger-sweep.js';
import { TicketIntake } from './dispatch/ticket-intake.js';
import { WorkerLease } from './dispatch/worker-lease.js';
import { WorkerSignals } from './dispatch/worker-signals.js';
import { CancelRuns } from './end/cancel-runs.js';
import { EndRuns } from './end/end-runs.js';
import { OverdueRuns } from './end/overdue-runs.js';
import { RemoveRuns } from './end/remove-runs.js';
import { RetainedSummaries } from './end/retained-summaries.js';
import { PartitionChore } from './end/partition-chore.js';
import { RunChores } from './end/run-chores.js';
import { RemovalTransaction } from './end/removal-transaction.js';
import { RunCompaction } from './end/run-compaction.js';
import { RunPruning } from './end/run-pruning.js';
import { RunRetention } from './end/run-retention.js';
import { RunSignals } from './end/run-signals.js';
import { AgentInputs } from './execute/agent-inputs.js';
import { ExecutionReports } from './execute/execution-reports.js';
import { RunContextFactory } from './execute/run-context.factory.js';
import { RunExecutor } from './execute/run-executor.js';
import { RunPasts } from './execute/run-past.js';
import { RunRecovery } from './execute/run-recovery.js';
import { RunSessionFactory } from './execute/run-session.factory.js';
import { StartingPoints } from './execute/starting-point.js';
import { GroupCommit } from './log/group-commit.js';
import { LogCommit } from './log/log-commit.js';
import { RunFeeds } from './log/run-feeds.js';
import { RunReader } from './log/run-reader.js';
import { RunWatch } from './log/run-watch.js';
import { Dispatcher } from './ports/dispatcher.js';
import { RunLeases } from './ports/run-leases.js';
import { type RunLimits } from './ports/run-limits.js';
import { LogCompaction } from './ports/log-compaction.js';
import { LogPartitions } from './ports/log-partitions.js';
import { LogPruning } from './ports/log-pruning.js';
import { RunListings } from './ports/run-listings.js';
import { RunLog } from './ports/run-log.js';
import { RunQueries } from './ports/run-queries.js';
import { RunRelay } from './ports/run-relay.js';
import { RunSearch } from './ports/run-search.js';
import { RunStore } from './ports/run-store.js';
import { RunTickets } from './ports/run-tickets.js';
import { Runs } from './ports/runs.js';
import { WorkerRegistry } from './ports/worker-registry.js';
import { RunListWatch } from './query/run-list-watch.js';
import { RunQueryService } from './query/run-query.service.js';
import { RunLedger } from './run-ledger.js';
import { HintMetrics } from './hint.metrics.js';
import { RunMetrics } from './run.metrics.js';
import { RunService } from './run.service.js';

/** Runs: accept, execute, log, read, end. Needs the global database, settings, clock, agents and user settings. */
@Global()
@Module({
  imports: [SessionModule, InterruptModule, ToolsModule],
  providers: [
    { provide: RunStore, useClass: TypeOrmRunStore },
    { provide: RunLeases, useClass: TypeOrmRunLeases },
    { provide: RunSearch, useClass: TypeOrmRunSearch },
    { provide: RunListings, useClass: TypeOrmRunListings },
    { provide: RunLog, useClass: TypeOrmRunLog },
    { provide: LogCompaction, useClass: TypeOrmLogCompaction },
    { provide: LogPruning, useClass: TypeOrmLogPruning },
    {
      provide: LogPartitions,
      useFactory: (database: Database, metrics: Metrics) => new TypeOrmLogPartitions(database, metrics),
      inject: [Database, Metrics],
    },
    { provide: WorkerRegistry, useClass: TypeOrmWorkerRegistry },
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
    RunLedger,
    RunMetrics,
    HintMetrics,
    LedgerGauges,
    AuthorityCheck,
    EncoderRevisions,
    RunPreparation,
    AcceptTransaction,
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
    RunSessionFactory,
    ExecutionReports,
    RunExecutor,
    RunSignals,
    CancelRuns,
    OverdueRuns,
    RemovalTransaction,
    EndRuns,
    RemoveRuns,
    RetainedSummaries,
    RunPruning,
    RunRetention,
    PartitionChore,
    RunCompaction,
    RunChores,
    EventLoopLag,
    ExecutionSlots,
    LeaseKeeper,
    Executions,
    LedgerSweep,
    TicketIntake,
    WorkerLease,
    WorkerSignals,
  ],
  exports: [Runs, RunQueries, RunListings, RetainedSummaries, EncoderRevisions, Dispatcher, InterruptModule],
})
export class RunModule {
  constructor(cleaners: SessionCleaners, listings: RunListings) {
    cleaners.register(listings);
  }

  /** @param limits binds `RunLimits`, for example `{ provide: RunLimits, useExisting: OwnerRates }` */
  static forRoot(limits: Provider<RunLimits>): DynamicModule {
    return { module: RunModule, providers: [limits] };
  }
}

/** Tickets for all processes on one database, where there may be several that share a Redis. */
async function ticketsOf({ url }: RedisSettings, database: Database, metrics: HintMetrics): Promise<RunTickets> {
  if (url === undefined || database.dialect !== 'postgres') return new LocalTickets();
  return new BullMqTickets(url, `parley-${await databaseIdentity(database)}`, metrics);
}

/** Processes on one PostgreSQL exchange events over Redis; those that share an SQLite file watch it. */
function relayOf({ url }: RedisSettings, { dialect }: Database, metrics: HintMetrics): RunRelay {
  return url !== undefined && dialect === 'postgres' ? new RedisRelay(url, metrics) : new LocalRelay();
}
