import type { McpServerConfig } from '../../mcp/mcp-servers.js';
import type { ConnectionEvents, Era, McpSession } from './mcp-session.js';
import { openSession } from './open-session.js';

/** The delay after the first failure. It doubles with each further failure. */
const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 30_000;

/** A connection that ended sooner counts as a failure, so that a crashing process is not restarted in a loop. */
const STABLE_MS = 10_000;

/** After this many failures in a row, callers no longer wait for the next attempt. */
const MAX_AWAITED_FAILURES = 2;

/** Callbacks of a link. */
export interface LinkEvents extends Omit<ConnectionEvents, 'onClosed'> {
  /** Called when a session was opened, before it is used. If it rejects, the attempt has failed. */
  onOpen(connection: McpSession, signal: AbortSignal): Promise<void>;
  /** Called when an attempt failed (`failures` in a row) or when the session was lost (`error` is undefined). */
  onDown(error: unknown, failures: number): void;
}

/**
 * Keeps a session with one server open from its first use on. A lost session is opened again, first
 * immediately, then after delays that double up to 30 s. There is one attempt at a time.
 */
export class McpLink {
  private open: McpSession | undefined;
  /** The era of the last session, which is tried first. */
  private lastEra: Era | undefined;
  private openedAt = 0;
  private attempt: Promise<void> | undefined;
  private attemptedAt = 0;
  private failures = 0;
  private wasOpen = false;
  private retry: NodeJS.Timeout | undefined;
  private readonly stopping = new AbortController();

  constructor(
    private readonly config: McpServerConfig,
    private readonly connectTimeoutMs: number,
    private readonly events: LinkEvents,
  ) {}

  /** The open session, if there is one. */
  get connection(): McpSession | undefined {
    return this.open;
  }

  /** True while a session is being opened. */
  get isConnecting(): boolean {
    return this.attempt !== undefined;
  }

  /**
   * The session, opened if necessary. Waits at most `waitMs` from the start of the attempt, and not at all
   * while the server is known to be down.
   */
  async connected(waitMs: number): Promise<McpSession | undefined> {
    if (this.open || this.stopping.signal.aborted) return this.open;
    const isKnownToBeDown = this.failures > (this.wasOpen ? MAX_AWAITED_FAILURES : 0);
    if (isKnownToBeDown) return undefined;
    const attempt = this.begin();
    await waitAtMost(attempt, this.attemptedAt + waitMs - performance.now());
    return this.open;
  }

  /** Ends the session and opens no new one. */
  async close(): Promise<void> {
    this.stopping.abort(new Error('The server shuts down'));
    clearTimeout(this.retry);
    await this.open?.close();
    await this.attempt;
  }

  private begin(): Promise<void> {
    clearTimeout(this.retry);
    if (!this.attempt) {
      this.attemptedAt = performance.now();
      this.attempt = this.tryToOpen().finally(() => (this.attempt = undefined));
    }
    return this.attempt;
  }

  private async tryToOpen(): Promise<void> {
    let connection: McpSession | undefined;
    try {
      const { signal } = this.stopping;
      const { onLine, onToolsChanged } = this.events;
      const onClosed = (): void => this.onLost(connection);
      const { lastEra } = this;
      const options = { timeoutMs: this.connectTimeoutMs, signal, lastEra };
      connection = await openSession(this.config, { onLine, onToolsChanged, onClosed }, options);
      await this.events.onOpen(connection, signal);
      signal.throwIfAborted();
      if (connection.isClosed) throw new Error('The connection was closed');
      this.open = connection;
      this.lastEra = connection.era;
      this.openedAt = performance.now();
      this.wasOpen = true;
    } catch (error) {
      await connection?.close();
      this.onFailed(error);
    }
  }

  private onFailed(error: unknown): void {
    if (this.stopping.signal.aborted) return;
    this.failures += 1;
    this.events.onDown(error, this.failures);
    this.scheduleRetry();
  }

  private onLost(connection: McpSession | undefined): void {
    if (!connection || connection !== this.open) return;
    this.open = undefined;
    if (this.stopping.signal.aborted) return;
    this.failures = performance.now() - this.openedAt >= STABLE_MS ? 0 : this.failures + 1;
    this.events.onDown(undefined, this.failures);
    this.scheduleRetry();
  }

  private scheduleRetry(): void {
    clearTimeout(this.retry);
    const delay = this.failures === 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (this.failures - 1), LONGEST_DELAY_MS);
    this.retry = setTimeout(() => void this.begin(), delay);
    this.retry.unref();
  }
}

/** Waits for a promise that never rejects, for at most the given time. */
async function waitAtMost(promise: Promise<void>, milliseconds: number): Promise<void> {
  if (milliseconds <= 0) return;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
  await Promise.race([promise, timeout]);
  clearTimeout(timer);
}
