import { abortableDelay, AppError } from '../../../common/index.js';
import type { RemoteAgentConfig } from '../../remote/remote-config.js';
import type { RemoteMetrics } from '../../remote/remote.metrics.js';
import { ReadBudget, RemoteConnection, type SseEvent } from './remote-connection.js';
import { RemoteFailure } from './remote-failure.js';
import type { RemoteHttp, RemoteRequest } from './remote-http.js';
import type { Ask, Opened, RemoteProtocol, RemoteReader, Turn } from './remote-kind.js';
import type { RemoteUpstream } from './remote-upstream.js';
import type { RemoteWriter } from './remote-writer.js';

/** What an exchange is connected with. */
export interface LinkParts {
  readonly config: RemoteAgentConfig;
  readonly protocol: RemoteProtocol;
  readonly http: RemoteHttp;
  readonly upstream: RemoteUpstream;
  readonly metrics: RemoteMetrics;
  readonly writer: RemoteWriter;
  readonly turn: Turn;
  /** Headers of the requests beside the configured ones. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The wait before a connection is made again: doubled each time, up to this. In milliseconds. */
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;
/** How often the state of an exchange is looked at whose stream cannot be continued, in milliseconds. */
const LOOK_MS = 2000;
/** The first wait, which is doubled each time. */
const FIRST_LOOK_MS = 100;
/** How long a request to stop may take, in milliseconds. */
const STOP_MS = 5000;
/** A signal that never aborts. */
const NEVER = new AbortController().signal;

/** The connections of one exchange, one after the other. */
export class RemoteLink {
  private connection: RemoteConnection | undefined;
  /** The events that are waited for. */
  private coming: Promise<readonly SseEvent[] | undefined> | undefined;
  private readonly budget: ReadBudget;

  constructor(
    private readonly parts: LinkParts,
    private readonly reader: RemoteReader,
    /** Ends everything. */
    private readonly signal: AbortSignal,
  ) {
    const { maxBytes, maxEvents } = parts.config;
    this.budget = new ReadBudget(maxBytes, maxEvents);
  }

  /** True if the last request may have arrived. */
  get wasSent(): boolean {
    return this.connection?.wasSent === true;
  }

  /** A header of the last answer. @param name in lower case */
  header(name: string): string | undefined {
    return this.connection?.header(name);
  }

  /**
   * The next events; undefined at the end of the stream. While a detached exchange is quiet it is looked at.
   *
   * @param opened the exchange; undefined: its handle is not known yet
   * @throws RemoteFailure, the signal's reason
   */
  next(opened: Opened | undefined): Promise<readonly SseEvent[] | undefined> {
    const { connection } = this;
    if (!connection) return Promise.resolve(undefined);
    const { detached } = this.parts.protocol;
    return opened && detached ? this.nextOrEnd(connection, opened, detached.quietMs) : connection.next();
  }

  /** The next events; none once the exchange is over, which a look may show. */
  private async nextOrEnd(
    connection: RemoteConnection,
    opened: Opened,
    quietMs: number,
  ): Promise<readonly SseEvent[] | undefined> {
    if (!this.coming) {
      this.coming = connection.next();
      // Its failure is seen when it is awaited.
      this.coming.catch(() => undefined);
    }
    for (;;) {
      const quiet = Symbol('quiet');
      let timer: NodeJS.Timeout | undefined;
      const silence = new Promise<typeof quiet>((resolve) => (timer = setTimeout(() => resolve(quiet), quietMs)));
      try {
        const first = await Promise.race([this.coming, silence]);
        if (first !== quiet) {
          this.coming = undefined;
          return first;
        }
      } finally {
        clearTimeout(timer);
      }
      if (await this.isEnded(opened)) return [];
    }
  }

  /** Opens the stream of a detached exchange, without waiting for its events. @throws RemoteFailure, the signal's reason */
  async listen(request: RemoteRequest): Promise<void> {
    const { upstream } = this.parts;
    this.connection?.close();
    this.coming = undefined;
    this.connection = this.open(request);
    try {
      await this.connection.opened();
      upstream.reached();
    } catch (error) {
      if (error instanceof RemoteFailure) upstream.noteConnection(error);
      throw error;
    }
  }

  /** Makes a request that is answered with JSON. @throws RemoteFailure, the signal's reason */
  readonly ask: Ask = async (request) => {
    const connection = this.open(request);
    try {
      return await connection.json();
    } catch (error) {
      if (error instanceof RemoteFailure) this.parts.upstream.noteConnection(error);
      throw error;
    } finally {
      connection.close();
    }
  };

  /** Ends the last request. */
  close(): void {
    this.connection?.close();
  }

  /** Makes a request and waits for its first events. @throws RemoteFailure, the signal's reason */
  async connect(request: RemoteRequest): Promise<readonly SseEvent[] | undefined> {
    const { upstream, metrics, config } = this.parts;
    this.connection?.close();
    this.connection = this.open(request);
    const sentAt = performance.now();
    try {
      const events = await this.connection.next();
      upstream.reached();
      metrics.firstEvent.with(config.name).observe((performance.now() - sentAt) / 1000);
      return events;
    } catch (error) {
      if (error instanceof RemoteFailure) upstream.noteConnection(error);
      throw error;
    }
  }

  private open({ headers, ...request }: RemoteRequest): RemoteConnection {
    const { http, config } = this.parts;
    const all = Object.assign({}, config.headers, this.parts.headers, headers);
    const { takesJson } = this.parts.protocol;
    return new RemoteConnection(http, { ...request, headers: all }, config, {
      budget: this.budget,
      signal: this.signal,
      takesJson,
    });
  }

  /** What the protocol must know before a request, such as the card of an agent. */
  async prepare(): Promise<void> {
    await this.parts.protocol.prepare?.(this.ask);
  }

  /** Whether the upstream is known to take a request that it has got already once. @throws the signal's reason */
  async takesOnce(): Promise<boolean> {
    try {
      await this.prepare();
    } catch {
      this.signal.throwIfAborted();
    }
    return this.parts.protocol.takesOnce === true;
  }

  /**
   * Continues an exchange on another connection.
   *
   * @param failure why; undefined: another process has begun the exchange
   * @returns its next events; none if its end was found in another way
   * @throws AppError UPSTREAM_LOST; RemoteFailure; the signal's reason
   */
  async reattach(opened: Opened, failure: unknown): Promise<readonly SseEvent[]> {
    const { protocol, config, upstream, metrics, turn } = this.parts;
    const until = performance.now() + config.reattachForMs;
    for (
      let wait = failure === undefined ? 0 : FIRST_WAIT_MS;
      ;
      wait = Math.min(Math.max(wait * 2, FIRST_WAIT_MS), LONGEST_WAIT_MS)
    ) {
      if (wait > 0) await abortableDelay(wait, this.signal);
      try {
        await this.prepare();
        if (protocol.detached && (await this.isEnded(opened))) return [];
        const before = JSON.stringify(this.reader.position);
        this.reader.reconnected();
        upstream.reattached();
        metrics.reattachments.with(config.name).add();
        const events = await this.follow(opened);
        if (events) return events;
        if (JSON.stringify(this.reader.position) === before && (await this.look(opened))) return [];
      } catch (error) {
        this.signal.throwIfAborted();
        if (!(error instanceof RemoteFailure) || error.kind === 'protocol') throw error;
        const status = error.answer?.status ?? 0;
        if (status >= 400 && status < 500 && status !== 429) {
          if (await this.look(opened)) return [];
          if (status === 404 && opened.handle === turn.id) throw error;
          throw new AppError('UPSTREAM_LOST', 'The remote agent no longer has the answer', { cause: error });
        }
      }
      if (performance.now() >= until) {
        throw new AppError('UPSTREAM_LOST', 'The connection to the remote agent was lost and could not be made again', {
          cause: failure,
        });
      }
    }
  }

  private async follow(opened: Opened): Promise<readonly SseEvent[] | undefined> {
    const { protocol, turn } = this.parts;
    const request = protocol.follow(opened, this.reader.position, turn);
    if (!protocol.detached) return this.connect(request);
    await this.listen(request);
    return this.next(opened);
  }

  /** Looks at an exchange whose stream cannot be continued, until it is over. False if there is no way to. */
  async look(opened: Opened): Promise<boolean> {
    for (let wait = FIRST_LOOK_MS; ; wait = Math.min(wait * 2, LOOK_MS)) {
      const looked = await this.lookOnce(opened);
      if (!looked) return false;
      if (this.reader.end) return true;
      await abortableDelay(wait, this.signal);
    }
  }

  /** False if there is no way to, or nothing to look at. */
  private async lookOnce(opened: Opened): Promise<boolean> {
    const look = this.parts.protocol.look?.(opened, this.parts.turn);
    if (!look) return false;
    try {
      look.read(await this.ask(look.request), this.reader, this.parts.writer);
      return true;
    } catch (error) {
      if (error instanceof RemoteFailure && error.answer?.status === 404) return false;
      throw error;
    }
  }

  /** Whether an exchange is over. What cannot be looked at for the moment is not. */
  private async isEnded(opened: Opened): Promise<boolean> {
    try {
      await this.lookOnce(opened);
    } catch (error) {
      this.signal.throwIfAborted();
      if (!(error instanceof RemoteFailure) || error.kind === 'protocol') throw error;
    }
    return this.reader.end !== undefined;
  }

  /** Tells the upstream that nobody waits for the rest. Not awaited. */
  stop(opened: Opened): void {
    const { protocol, turn, config } = this.parts;
    const request = protocol.stop(opened, turn);
    if (!request) return;
    const limits = { ...config, firstEventMs: STOP_MS };
    const { http } = this.parts;
    const all = Object.assign({}, config.headers, this.parts.headers, request.headers);
    const connection = new RemoteConnection(http, { ...request, headers: all }, limits, {
      budget: new ReadBudget(config.maxBytes, 1),
      signal: NEVER,
    });
    const timer = setTimeout(() => connection.close(), STOP_MS);
    void connection
      .json()
      .catch(() => undefined)
      .finally(() => {
        clearTimeout(timer);
        connection.close();
      });
  }
}
