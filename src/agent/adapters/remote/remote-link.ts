import type { RemoteAgentConfig } from '../../remote/remote-config.js';
import type { RemoteMetrics } from '../../remote/remote.metrics.js';
import { ReadBudget, RemoteConnection, type SseEvent } from './remote-connection.js';
import { RemoteFailure } from './remote-failure.js';
import type { RemoteHttp, RemoteRequest } from './remote-http.js';
import type { Ask, Opened, RemoteProtocol, RemoteReader, Settlement, Turn } from './remote-kind.js';
import { noLonger, notAgain, RemoteLooks } from './remote-looks.js';
import { RemotePace } from './remote-pace.js';
import { RemoteRepeats } from './remote-repeats.js';
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
  /** What no log and no error shows. */
  readonly secrets: readonly string[];
}

/** The first wait before a connection is made again, in milliseconds. */
const FIRST_WAIT_MS = 500;
/** Connections made again without any news before the exchange is looked at (contract a2a, section 15.3). */
const MOST_FRUITLESS = 3;
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
  private readonly looks: RemoteLooks;
  private readonly reattachments: RemotePace;
  /** The position at which a connection was last made again, and how often the upstream has answered that without any news. */
  private lostAt = '';
  private fruitless = 0;

  constructor(
    private readonly parts: LinkParts,
    private readonly reader: RemoteReader,
    /** Ends everything. */
    private readonly signal: AbortSignal,
  ) {
    const { maxBytes, maxEvents } = parts.config;
    this.budget = new ReadBudget(maxBytes, maxEvents);
    const count = (bytes: number): void => this.budget.takeBytes(bytes);
    this.looks = new RemoteLooks(parts, reader, { ask: this.ask, count, signal });
    this.reattachments = new RemotePace(FIRST_WAIT_MS, signal);
  }

  /** True once the stream cannot be continued: the exchange is looked at again and again. */
  get isLooking(): boolean {
    return this.looks.isOn;
  }

  /** As `RemoteLooks.look`. */
  look(opened: Opened): Promise<boolean> {
    return this.looks.look(opened);
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
   * The next events; undefined at the end of the stream; none after a look. While a detached exchange is quiet it is looked
   * at, too.
   *
   * @param opened the exchange; undefined: its handle is not known yet
   * @throws AppError UPSTREAM_LOST; RemoteFailure; the signal's reason
   */
  next(opened: Opened | undefined): Promise<readonly SseEvent[] | undefined> {
    const { connection } = this;
    if (opened && this.isLooking) return this.looks.next(opened);
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
      if (await this.looks.isEnded(opened)) return [];
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

  /** Makes a request that is answered with JSON, which is no part of the answer. @throws RemoteFailure, the signal's reason */
  readonly ask: Ask = async (request, onAnswer) => {
    const { upstream, config } = this.parts;
    const connection = this.open(request, new ReadBudget(config.maxBytes, 1));
    try {
      const answer = await connection.json();
      upstream.reached();
      onAnswer?.((name) => connection.header(name));
      return answer;
    } catch (error) {
      if (error instanceof RemoteFailure) upstream.noteConnection(error);
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

  private open({ headers, ...request }: RemoteRequest, budget = this.budget): RemoteConnection {
    const { http, config } = this.parts;
    const all = request.isPublic ? headers : Object.assign({}, config.headers, this.parts.headers, headers);
    const { takesJson } = this.parts.protocol;
    return new RemoteConnection(http, { ...request, headers: all }, config, {
      budget,
      signal: this.signal,
      takesJson,
    });
  }

  /** What the protocol must know before a request, such as the card of an agent. @param opened what is continued */
  async prepare(opened?: Opened): Promise<void> {
    await this.parts.protocol.prepare?.(this.ask, opened);
  }

  /** What has become of a request in doubt. @param begunAt when it was about to be sent @throws the signal's reason */
  async settle(begunAt: number): Promise<Settlement> {
    const { protocol, turn, upstream } = this.parts;
    if (!protocol.settle) return { kind: 'unknown' };
    try {
      await new RemoteRepeats(upstream, this.signal).preparing(() => this.prepare());
    } catch {
      this.signal.throwIfAborted();
    }
    return protocol.settle({ turn, begunAt, ask: this.ask });
  }

  /**
   * Continues an exchange on another connection, or by looking at it. While nothing new comes each wait is longer.
   *
   * @param failure why; undefined: another process has begun the exchange
   * @returns its next events; none if it is looked at, or its end was found
   * @throws AppError UPSTREAM_LOST; RemoteFailure; the signal's reason
   */
  async reattach(opened: Opened, failure: unknown): Promise<readonly SseEvent[]> {
    const { protocol, config, upstream, metrics, turn } = this.parts;
    const until = performance.now() + config.reattachForMs;
    const lostAt = JSON.stringify(this.reader.position);
    if (lostAt !== this.lostAt) {
      this.reattachments.reset();
      this.fruitless = 0;
    }
    this.lostAt = lostAt;
    for (let hasWaited = failure === undefined; ; hasWaited = true) {
      let askedMs = 0;
      try {
        await this.prepare(opened);
        if (protocol.detached && (await this.looks.isEnded(opened))) return [];
        const request = protocol.follow(opened, this.reader.position, turn);
        if (!request) {
          if (await this.look(opened)) return [];
          throw noLonger();
        }
        if (!hasWaited) await this.reattachments.wait();
        if (this.fruitless >= MOST_FRUITLESS && (await this.look(opened))) return [];
        const before = JSON.stringify(this.reader.position);
        this.reader.reconnected();
        upstream.reattached();
        metrics.reattachments.with(config.name).add();
        const events = await this.follow(request, opened);
        this.fruitless += 1;
        if (events) return events;
        if (JSON.stringify(this.reader.position) === before && (await this.look(opened))) return [];
      } catch (error) {
        this.signal.throwIfAborted();
        if (!(error instanceof RemoteFailure) || error.kind === 'protocol') throw error;
        if (error.kind !== 'unreachable') this.fruitless += 1;
        const status = error.answer?.status ?? 0;
        if (status >= 400 && status < 500 && status !== 429) {
          if (await this.look(opened)) return [];
          if (status === 404 && opened.handle === turn.id) throw error;
          throw noLonger(error);
        }
        askedMs = error.retryAfterMs ?? 0;
      }
      if (performance.now() >= until) throw notAgain(failure);
      await this.reattachments.wait(askedMs);
    }
  }

  private async follow(request: RemoteRequest, opened: Opened): Promise<readonly SseEvent[] | undefined> {
    if (!this.parts.protocol.detached) return this.connect(request);
    await this.listen(request);
    return this.next(opened);
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
