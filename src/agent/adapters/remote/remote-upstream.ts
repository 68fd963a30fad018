import { AppError } from '../../../common/index.js';
import type { RemoteAgentConfig } from '../../remote/remote-config.js';
import type { RemoteAgentView } from '../../ports/remote-agents.js';
import type { RemoteFailure } from './remote-failure.js';

/** Connection failures in a row after which the upstream is left alone for a while, and how long. In milliseconds. */
const FAILURES = 5;
const PAUSE_MS = 10_000;

/** Members of the configuration that people are shown. */
type KeptAsItIs = 'description' | 'exposure' | 'required';

/** What this process knows of one upstream. */
export class RemoteUpstream {
  /** Exchanges in progress. */
  inFlight = 0;
  private failures = 0;
  private pausedUntil = 0;
  private reattachments = 0;
  private state: RemoteAgentView['state'] = 'idle';
  private lastError: RemoteAgentView['lastError'] = null;

  constructor(private readonly config: Pick<RemoteAgentConfig, 'name' | 'type' | 'url' | KeptAsItIs>) {}

  /** @throws AppError UPSTREAM_UNAVAILABLE while the upstream is left alone */
  ensureReachable(): void {
    if (performance.now() >= this.pausedUntil) return;
    throw new AppError('UPSTREAM_UNAVAILABLE', 'The remote agent could not be connected to several times in a row', {
      retryAfterSeconds: Math.ceil(PAUSE_MS / 1000),
    });
  }

  /** A connection has an answer. */
  reached(): void {
    this.failures = 0;
    this.state = 'up';
  }

  /** A connection has failed. */
  noteConnection({ kind }: RemoteFailure): void {
    if (kind !== 'unreachable') {
      this.reached();
      return;
    }
    this.failures += 1;
    this.state = 'down';
    if (this.failures >= FAILURES) this.pausedUntil = performance.now() + PAUSE_MS;
  }

  /** It was asked whether it answers. */
  probed(isUp: boolean): void {
    this.state = isUp ? 'up' : 'down';
  }

  /** A connection is made again. */
  reattached(): void {
    this.reattachments += 1;
  }

  /** An exchange has failed. */
  failed({ code, message }: AppError): void {
    this.lastError = { at: new Date(), code, message };
  }

  /** What people are shown. */
  get view(): Omit<RemoteAgentView, 'onLoss'> {
    const { name, type, url, description, exposure, required } = this.config;
    const { state, inFlight, reattachments, lastError } = this;
    const kept = { description, exposure, required };
    return { name, kind: type, address: url.origin + url.pathname, ...kept, state, inFlight, reattachments, lastError };
  }
}
