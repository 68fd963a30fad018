import { hostname } from 'node:os';
import {
  bytes,
  type ConfigurationProblem,
  DAY_MS,
  HOUR_MS,
  integer,
  MIB,
  milliseconds,
  ServerSettings,
  setting,
  settings,
  token,
} from '../config/index.js';
import { FleetSettings } from './fleet.settings.js';

/** How runs are queued, executed and recovered. */
export class RunSettings extends settings('Runs', {
  concurrency: setting('RUN_CONCURRENCY', integer({ min: 1, max: 100_000 }), {
    default: 256,
    description: 'Runs that this process executes at the same time. Others wait.',
  }),
  timeoutMs: setting('RUN_TIMEOUT_MS', milliseconds({ min: 100, max: 30 * DAY_MS }), {
    default: HOUR_MS,
    description: 'How long one run may take, not counting time in the queue and between a crash and its recovery.',
  }),
  queueTimeoutMs: setting('RUN_QUEUE_TIMEOUT_MS', milliseconds({ min: 100, max: 365 * DAY_MS }), {
    default: DAY_MS,
    description: 'A run that has waited in the queue for this long fails.',
  }),
  idleTimeoutMs: setting('RUN_IDLE_TIMEOUT_MS', milliseconds({ min: 100, max: 30 * DAY_MS }), {
    default: 300_000,
    description: 'A run that emits no event for this long fails, even while a tool is working.',
  }),
  queueLimit: setting('RUN_QUEUE_LIMIT', integer({ min: 1, max: 100_000 }), {
    default: 100,
    description: 'Runs of one session that may wait in the queue.',
  }),
  fieldLimitBytes: setting('REQUEST_FIELD_LIMIT_BYTES', bytes({ min: 1024, max: 64 * MIB }), {
    default: 256 * 1024,
    description:
      'Largest shared state of a request, as JSON; also of its forwarded properties, and of each schema of a client tool or an answer. Larger ones are refused with 413.',
  }),
  maxAttempts: setting('RUN_MAX_ATTEMPTS', integer({ min: 1, max: 100 }), {
    default: 3,
    description: 'How often one run is started, including restarts after a crash, before it fails.',
  }),
  leaseMs: setting('LEASE_MS', milliseconds({ min: 100, max: HOUR_MS }), {
    default: 15_000,
    description:
      'How long a process that was not heard of keeps its runs before other processes take them over. It sends a heartbeat every third of this time.',
  }),
  sweepIntervalMs: setting('SWEEP_INTERVAL_MS', milliseconds({ min: 10, max: HOUR_MS }), {
    default: 1000,
    description: 'Time between two searches for lost, waiting and canceled runs. Not more than LEASE_MS.',
  }),
  cancelGraceMs: setting('CANCEL_GRACE_MS', milliseconds({ min: 0, max: HOUR_MS }), {
    default: 10_000,
    description: 'How long an agent may ignore a cancellation before it is aborted.',
  }),
  nodeName: setting('NODE_NAME', token(128), {
    default: () => hostname(),
    unset: 'the host name',
    description: 'Name of this process for people, such as in errors. Several may have the same.',
  }),
}) {
  /** How many runs this process executes at the same time: none with `ROLE=web`. */
  readonly slots: number = this.source.slice(FleetSettings).role === 'web' ? 0 : this.concurrency;

  /** DRAIN_RUN_MS. */
  readonly drainRunMs = this.source.slice(FleetSettings).drainRunMs;

  /** ROLE. */
  readonly role = this.source.slice(FleetSettings).role;

  /** SHUTDOWN_GRACE_MS: how long a shutdown waits for runs in progress. */
  readonly shutdownGraceMs = this.source.slice(ServerSettings).shutdownGraceMs;

  override problems(unusable: ReadonlySet<string>): readonly ConfigurationProblem[] {
    const isChecked = !unusable.has('SWEEP_INTERVAL_MS') && !unusable.has('LEASE_MS');
    if (!isChecked || this.sweepIntervalMs <= this.leaseMs) return [];
    const message = `must not be more than LEASE_MS (the number ${this.leaseMs}), but is the number ${this.sweepIntervalMs}`;
    return [{ name: 'SWEEP_INTERVAL_MS', message }];
  }
}
