import type { McpServerConfig } from '../../config/index.js';
import { McpConnection, type ConnectionEvents } from './mcp-connection.js';

/** The first wait after a failure; each further one doubles it. */
const FIRST_DELAY_MS = 200;
const LONGEST_DELAY_MS = 30_000;

/** A connection that ended sooner counts as a failure: a process that dies at once must not be restarted at once. */
const STABLE_MS = 10_000;

/** After so many failures in a row nobody waits for the next attempt any more. */
const PATIENCE = 2;

/** What a link tells of itself. */
export interface LinkEvents extends Omit<ConnectionEvents, 'onClosed'> {
  /** A session was opened: what is needed of it at once is asked here. Its failure is the attempt's. */
  onOpen(connection: McpConnection, signal: AbortSignal): Promise<void>;
  /** An attempt failed (`failures` in a row), or the session was lost (`error` is undefined). */
  onDown(error: unknown, failures: number): void;
}

/**
 * Keeps a session with one server from the first time that somebody wants it: a lost one is opened
 * again, at once at first, then after waits that double up to 30 s. One attempt at a time.
 */
export class McpLink {
  private open: McpConnection | undefined;
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

  /** The session, while there is one. */
  get connection(): McpConnection | undefined {
    return this.open;
  }

  /** True while an attempt is made to open a session. */
  get isConnecting(): boolean {
    return this.attempt !== undefined;
  }

  /**
   * The session; a missing one is opened and waited for, but for no longer than `waitMs` from when the
   * attempt began, and not at all while the server is known to be down.
   */
  async connected(waitMs: number): Promise<McpConnection | undefined> {
    if (this.open || this.stopping.signal.aborted) return this.open;
    const isKnownToBeDown = this.failures > (this.wasOpen ? PATIENCE : 0);
    if (isKnownToBeDown) return undefined;
    const attempt = this.begin();
    await within(attempt, this.attemptedAt + waitMs - performance.now());
    return this.open;
  }

  /** Ends the session and opens no other. */
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
    let connection: McpConnection | undefined;
    try {
      const { signal } = this.stopping;
      const { onLine, onToolsChanged } = this.events;
      const onClosed = (): void => this.lost(connection);
      connection = await McpConnection.open(
        this.config,
        { onLine, onToolsChanged, onClosed },
        this.connectTimeoutMs,
        signal,
      );
      await this.events.onOpen(connection, signal);
      signal.throwIfAborted();
      if (connection.isClosed) throw new Error('The connection was closed');
      this.open = connection;
      this.openedAt = performance.now();
      this.wasOpen = true;
    } catch (error) {
      await connection?.close();
      this.failed(error);
    }
  }

  private failed(error: unknown): void {
    if (this.stopping.signal.aborted) return;
    this.failures += 1;
    this.events.onDown(error, this.failures);
    this.again();
  }

  private lost(connection: McpConnection | undefined): void {
    if (!connection || connection !== this.open) return;
    this.open = undefined;
    if (this.stopping.signal.aborted) return;
    this.failures = performance.now() - this.openedAt >= STABLE_MS ? 0 : this.failures + 1;
    this.events.onDown(undefined, this.failures);
    this.again();
  }

  private again(): void {
    clearTimeout(this.retry);
    const delay = this.failures === 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** (this.failures - 1), LONGEST_DELAY_MS);
    this.retry = setTimeout(() => void this.begin(), delay);
    this.retry.unref();
  }
}

/** Waits for a promise that never fails, but no longer than the given time. */
async function within(promise: Promise<void>, milliseconds: number): Promise<void> {
  if (milliseconds <= 0) return;
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
  await Promise.race([promise, patience]);
  clearTimeout(timer);
}
