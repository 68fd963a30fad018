import { Injectable } from '@nestjs/common';
import { Chores } from '../../chores/index.js';
import { RunSettings } from '../run.settings.js';
import { LogPartitions } from '../ports/log-partitions.js';
import { OverdueRuns } from './overdue-runs.js';
import { RunCompaction } from './compact-runs.js';
import { RunRetention } from './prune-runs.js';

/** How often old runs are pruned, in milliseconds. */
const RETENTION_MS = 600_000;
/** How often runs that have ended are looked for, in milliseconds. */
const COMPACTION_MS = 60_000;
/** How often queued runs are looked for that have waited for too long, in milliseconds. */
const QUEUE_MS = 60_000;

/** The chores of runs: what has waited for too long ends, and what is old is compacted, then pruned. */
@Injectable()
export class RunChores {
  constructor(
    chores: Chores,
    settings: RunSettings,
    overdue: OverdueRuns,
    compaction: RunCompaction,
    retention: RunRetention,
  ) {
    chores.register({
      name: 'queue-timeout',
      everyMs: Math.min(QUEUE_MS, settings.queueTimeoutMs),
      work: (signal) => overdue.endAll(signal),
    });
    // Both keep summaries that wires make of the events, and a worker has no wires.
    if (settings.role === 'worker') return;
    chores.register({ name: 'retention', everyMs: RETENTION_MS, work: (signal) => retention.pruneAll(signal) });
    if (!compaction.isUseful) return;
    chores.register({ name: 'compaction', everyMs: COMPACTION_MS, work: (signal) => compaction.compactAll(signal) });
  }
}

/** How often partitions are created for runs to come, in milliseconds. */
const EVERY_MS = 600_000;

/** The chore that creates partitions of events ahead of the runs. */
@Injectable()
export class PartitionChore {
  constructor(chores: Chores, partitions: LogPartitions) {
    if (!partitions.isUseful) return;
    chores.register({ name: 'partitions', everyMs: EVERY_MS, work: () => partitions.createAhead() });
  }
}
