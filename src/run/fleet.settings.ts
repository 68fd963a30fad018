import {
  type ConfigurationProblem,
  integer,
  milliseconds,
  ServerSettings,
  setting,
  settings,
} from '../config/index.js';
import { DatabaseSettings } from '../database/index.js';

/** How several processes on one database share the work. */
export class FleetSettings extends settings('Fleet', {
  workers: setting('WORKERS', integer({ min: 1, max: 256 }), {
    default: 1,
    description:
      'Processes of this server on one port, for machines with several cores. More than one needs PostgreSQL. A process that ends is started again.',
  }),
  tenantQueueLimit: setting('TENANT_QUEUE_LIMIT', integer({ min: 1, max: 1_000_000 }), {
    default: 5000,
    description: 'Runs of one tenant that may wait in the queue. More are refused with 429.',
  }),
  fleetQueueLimit: setting('FLEET_QUEUE_LIMIT', integer({ min: 1, max: 10_000_000 }), {
    default: 20_000,
    description: 'Runs of all tenants that may wait in the queue. More are refused with 429.',
  }),
  drainRunMs: setting('DRAIN_RUN_MS', milliseconds({ min: 0, max: 3_600_000 }), {
    default: 60_000,
    description:
      'How long a process that stops waits for its runs to finish the step they are in, if other processes can continue them. Without others `SHUTDOWN_GRACE_MS` applies.',
  }),
  drainStreamMs: setting('DRAIN_STREAM_MS', milliseconds({ min: 0, max: 3_600_000 }), {
    default: 120_000,
    description: 'How long a process that stops keeps streams open, if other processes continue their runs.',
  }),
}) {
  /** What this process does. */
  readonly role = this.source.slice(ServerSettings).role;

  override problems(unusable: ReadonlySet<string>): readonly ConfigurationProblem[] {
    const isShared = this.source.slice(DatabaseSettings).address.kind === 'postgres';
    if (isShared || unusable.has('DATABASE_URL')) return [];
    const why = 'because DATABASE_URL is not PostgreSQL, and only one process can use it';
    const problems: ConfigurationProblem[] = [];
    if (this.role !== 'all') problems.push({ name: 'ROLE', message: `must be all, ${why}` });
    if (this.workers > 1) problems.push({ name: 'WORKERS', message: `must be 1, ${why}` });
    return problems;
  }
}
