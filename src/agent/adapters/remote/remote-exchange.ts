import { AppError, type JsonObject } from '../../../common/index.js';
import type { AgentContext } from '../../agent.js';
import type { SseEvent } from './remote-connection.js';
import { isStreamEnd, protocolFailure, RemoteFailure } from './remote-failure.js';
import { type JournalState, NOT_OPENED, openedAs, type RemoteJournal } from './remote-journal.js';
import type { DetachedStart, ExchangeEnd, Opened, RemoteReader, StoredBoundary } from './remote-kind.js';
import { type LinkParts, RemoteLink } from './remote-link.js';
import { RemoteMemory } from './remote-memory.js';
import { type ExchangeOutcome, isHandedOver, outcomeIn, outcomeOf } from './remote-outcome.js';
import { RemoteRepeats } from './remote-repeats.js';
import { withoutSecretsIn } from './remote-secrets.js';

/** What an exchange is carried out with. */
export interface ExchangeParts extends LinkParts {
  readonly journal: RemoteJournal;
}

/** Events between two checkpoints at least. */
const CHECKPOINT_EVENTS = 16;

/** One exchange with a remote agent: a request, and everything until its terminal event (contract gateway, section B). */
export class RemoteExchange {
  private readonly link: RemoteLink;
  private readonly reader: RemoteReader;
  private readonly control = new AbortController();
  private opened: Opened | undefined;
  /** Of the request that began the exchange. */
  private place: JsonObject | undefined;
  /** Events before the one that decides on the handle: nothing is shown before that is stored. */
  private readonly held: SseEvent[] = [];
  private isOver = false;
  /** When something last showed that the exchange goes on, by `performance.now()`. */
  private progressAt = performance.now();
  private lastProgress = '';
  private readonly memory: RemoteMemory;

  constructor(
    private readonly context: AgentContext,
    private readonly parts: ExchangeParts,
  ) {
    const { protocol, turn } = parts;
    this.reader = protocol.reader(turn);
    this.memory = new RemoteMemory(context, parts, this.reader);
    this.link = new RemoteLink(parts, this.reader, this.control.signal);
  }

  /** @throws AppError UPSTREAM_*; the reason of `context.signal` */
  async *run(): AsyncGenerator<undefined, ExchangeOutcome, void> {
    const { config } = this.parts;
    const { signal } = this.context;
    const onAbort = (): void => this.control.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const late = new AppError('UPSTREAM_TIMEOUT', 'The remote agent took longer than it may');
    const timer = config.maxMs === undefined ? undefined : setTimeout(() => this.control.abort(late), config.maxMs);
    let outcome = 'stopped';
    try {
      const ended = yield* this.exchange();
      if (ended.kind === 'failure') outcome = ended.error.code;
      else outcome = ended.kind === 'questions' ? 'interrupted' : ended.outcome.kind;
      return ended;
    } catch (error) {
      const failed = error instanceof RemoteFailure ? error.error : error;
      if (!(failed instanceof AppError) || signal.aborted) throw failed;
      outcome = failed.code;
      throw this.failed(failed);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      this.link.close();
      if (!this.isOver && !isHandedOver(signal)) this.link.stop(this.opened ?? NOT_OPENED);
      this.parts.metrics.exchanges.with(config.name, outcome).add();
    }
  }

  private async *exchange(): AsyncGenerator<undefined, ExchangeOutcome, void> {
    const state = this.parts.journal.restore();
    const stored = state.kind === 'open' ? outcomeIn(state.boundaries.at(-1)) : undefined;
    if (stored) {
      this.isOver = true;
      return stored;
    }
    let events = await this.begin(state);
    for (;;) {
      let failure: unknown;
      try {
        for (let unchecked = 0; events && !this.reader.end; events = await this.link.next(this.opened)) {
          this.read(events);
          if (this.reader.isOver && this.opened && !this.link.isLooking) await this.link.look(this.opened);
          unchecked += events.length;
          if (this.reader.end) break;
          this.boundary();
          if (unchecked < CHECKPOINT_EVENTS) continue;
          unchecked = 0;
          yield;
        }
      } catch (error) {
        failure = error;
      }
      if (!this.link.isLooking && isStreamEnd(failure)) this.reader.closed?.();
      if (this.reader.end) return yield* this.finish(this.reader.end);
      events = await this.continued(failure);
    }
  }

  /** The first events of the exchange, or of its continuation. */
  private async begin(state: JournalState): Promise<readonly SseEvent[] | undefined> {
    const { protocol, config, turn } = this.parts;
    if (state.kind === 'open') {
      if (!state.opened.canReattach) throw new AppError('UPSTREAM_IN_DOUBT');
      this.restore(state.opened, state.boundaries);
      return this.link.reattach(state.opened, undefined);
    }
    this.restoreState([]);
    if (protocol.detached) return this.start(protocol.detached, state.kind === 'doubt');
    if (state.kind === 'doubt') {
      if (protocol.findsByOwnId) {
        const found = await this.find({ handle: turn.id, canReattach: true, isKept: protocol.keeps });
        if (found) return found;
      } else {
        const settled = await this.link.settle(state.begunAt);
        if (settled.kind === 'begun') return this.goOn(settled.opened);
        if (settled.kind === 'unknown' && config.onDoubt !== 'resend') {
          this.isOver = true;
          throw new AppError('UPSTREAM_IN_DOUBT');
        }
      }
    }
    return this.send();
  }

  /** Sends the request that begins the exchange. Repeated only while it is certain that nothing has begun. */
  private async send(): Promise<readonly SseEvent[] | undefined> {
    const { protocol, upstream } = this.parts;
    let { turn } = this.parts;
    upstream.ensureReachable();
    const repeats = new RemoteRepeats(upstream, this.control.signal);
    await repeats.preparing(() => this.link.prepare());
    let request = protocol.open(turn);
    await this.parts.journal.begin();
    for (;;) {
      this.isOver = false;
      try {
        const events = await this.link.connect(request);
        this.place = request.place;
        const other = events?.[0] && protocol.rewrites?.(events[0], request, turn);
        if (!other) return events;
        request = other;
        continue;
      } catch (caught) {
        if (!(caught instanceof RemoteFailure) || this.control.signal.aborted) throw caught;
        const error = protocol.refusal?.(caught, turn) ?? caught;
        const handle = protocol.goesOn?.(error, turn);
        if (handle !== undefined) {
          this.begun(openedAs(handle, protocol, request.place));
          return this.continued(error);
        }
        const wasSent = this.link.wasSent;
        // What was refused has not begun.
        this.isOver = error.kind === 'status' || error.kind === 'unreachable';
        const adapted = await protocol.adapts?.(error, turn);
        if (adapted) {
          turn = adapted;
          request = protocol.open(turn);
          continue;
        }
        if (wasSent && !error.isBeforeBegin && protocol.findsByOwnId && error.kind !== 'status') {
          const found = await this.find({ handle: turn.id, canReattach: true, isKept: protocol.keeps });
          if (found) return found;
        } else if (!error.isBeforeBegin) throw error;
        await repeats.wait(error);
      }
    }
  }

  /** Starts a detached exchange, of which an earlier attempt may be in progress, and waits for its first events. */
  private async start(detached: DetachedStart, isInDoubt: boolean): Promise<readonly SseEvent[] | undefined> {
    const { protocol, turn, upstream } = this.parts;
    const { link } = this;
    // Nothing is to be stopped before the request that starts it.
    this.isOver = true;
    upstream.ensureReachable();
    const repeats = new RemoteRepeats(upstream, this.control.signal);
    const handle = await repeats.preparing(() => detached.place(turn, link.ask, isInDoubt));
    const opened = { handle, canReattach: protocol.canReattach, isKept: protocol.keeps };
    if (isInDoubt && (await detached.hasBegun(handle, turn, link.ask))) return this.goOn(opened);
    await this.parts.journal.begin();
    // First the stream, so that no event is missed.
    const stream = protocol.follow(opened, null, turn);
    if (stream) await repeats.preparing(() => link.listen(stream));
    for (;;) {
      this.isOver = false;
      this.opened = opened;
      try {
        await link.ask(protocol.open(turn, handle));
        break;
      } catch (error) {
        if (!(error instanceof RemoteFailure) || this.control.signal.aborted) throw error;
        this.isOver = error.kind === 'status' || error.kind === 'unreachable';
        const failure = protocol.refusal?.(error, turn) ?? error;
        if (!failure.isBeforeBegin && failure.kind !== 'cut' && failure.kind !== 'silent') throw failure;
        const mayHaveBegun = !failure.isBeforeBegin;
        await repeats.wait(failure);
        if (mayHaveBegun && (await detached.hasBegun(handle, turn, link.ask))) break;
      }
    }
    this.begun(opened);
    await detached.accepted(handle, turn, link.ask, this.reader);
    return link.next(opened).catch((error: unknown) => this.continued(error));
  }

  private begun(opened: Opened): void {
    this.isOver = false;
    this.opened = opened;
    this.parts.journal.opened(opened);
  }

  /** Follows an exchange that another process has begun. */
  private goOn(opened: Opened): Promise<readonly SseEvent[] | undefined> {
    this.begun(opened);
    return this.link.reattach(opened, undefined);
  }

  /** Follows an exchange in doubt by the id that it was sent with; undefined if the upstream does not know it. */
  private async find(opened: Opened): Promise<readonly SseEvent[] | undefined> {
    try {
      return await this.link.reattach(opened, undefined);
    } catch (error) {
      if (error instanceof RemoteFailure && error.answer?.status === 404) return undefined;
      throw error;
    }
  }

  /** The connection has ended without a terminal event: the exchange is continued on another one, or fails. */
  private async continued(failure: unknown): Promise<readonly SseEvent[] | undefined> {
    this.link.close();
    this.control.signal.throwIfAborted();
    const isLost =
      failure === undefined || (failure instanceof RemoteFailure && ['cut', 'silent'].includes(failure.kind));
    if (this.opened?.canReattach) {
      const isRefused = failure instanceof RemoteFailure && failure.kind === 'status';
      if (isRefused && (await this.link.look(this.opened))) return [];
      if (isLost && performance.now() - this.progressAt <= this.parts.config.reattachForMs + this.parts.config.idleMs) {
        return this.link.reattach(this.opened, failure ?? new Error('The stream ended early'));
      }
      if (isLost) throw new AppError('UPSTREAM_LOST', 'The remote agent sends nothing new', { cause: failure });
    }
    if (failure instanceof Error) throw failure;
    throw protocolFailure('The remote agent ended its answer without a terminal event');
  }

  private read(events: readonly SseEvent[]): void {
    const { writer, protocol, journal } = this.parts;
    for (const event of events) {
      if (!this.opened) {
        const named = this.reader.identify(event, (name) => this.link.header(name));
        if (named === undefined && this.reader.isPrelude?.(event)) {
          this.held.push(event);
          continue;
        }
        this.opened = openedAs(named, protocol, this.place);
        journal.opened(this.opened);
        for (const one of this.held.splice(0)) this.reader.read(one, writer);
      }
      this.reader.read(event, writer);
      if (this.reader.end) return;
    }
    const progress = JSON.stringify(this.reader.heard ?? this.reader.position);
    if (progress === this.lastProgress) return;
    this.lastProgress = progress;
    this.progressAt = performance.now();
  }

  /** Commits the position where nothing is half told and something was written. What is taken here is stored here. */
  private boundary(last?: ExchangeOutcome): void {
    const { writer, journal } = this.parts;
    const isSettled = this.reader.isSettled !== false;
    if (!last && !(journal.hasBoundaries && isSettled && writer.isQuiet && writer.hasNews)) return;
    const opened = this.opened ?? NOT_OPENED;
    const part = writer.takePart();
    const kept = this.memory.atBoundary(part, opened);
    const told = this.reader.takeTold();
    const boundary = {
      part,
      position: this.reader.position,
      told: last ? { ...told, outcome: last as unknown as JsonObject } : told,
      state: () => this.context.state.get(),
      model: this.reader.model,
      kept,
    };
    journal.boundary(boundary, opened.canReattach, last !== undefined);
  }

  private restore(opened: Opened, boundaries: readonly StoredBoundary[]): void {
    this.opened = opened;
    const { writer } = this.parts;
    for (const { calls, activities = [] } of boundaries) {
      writer.restoreCalls(calls);
      writer.restoreActivities(activities);
      this.memory.noteCalls(calls);
    }
    const last = boundaries.at(-1);
    const told = boundaries.map((one) => one.told);
    if (last) this.reader.restore(last.position, told);
    this.restoreState(boundaries);
  }

  /** What was written behind the last boundary is written again, changes of the shared state included. */
  private restoreState(boundaries: readonly StoredBoundary[]): void {
    const state = this.parts.journal.stateAt(boundaries);
    if (state) this.context.state.set(state);
  }

  /** The terminal event was read. */
  private *finish(end: ExchangeEnd): Generator<undefined, ExchangeOutcome, void> {
    this.isOver = true;
    const { writer, turn } = this.parts;
    yield* writer.finish(end.kind === 'completed');
    const kept = (): JsonObject => this.memory.forAnswers(this.opened ?? NOT_OPENED);
    const outcome = outcomeOf(end, writer, { exchange: turn.id, kept });
    if (outcome.kind === 'failure') return { kind: 'failure', error: this.failed(outcome.error) };
    this.boundary(outcome);
    return outcome;
  }

  /** Notes a failure. Returns it as it may be shown. */
  private failed(error: AppError): AppError {
    const shown = withoutSecretsIn(error, this.parts.secrets);
    this.parts.upstream.failed(shown);
    return shown;
  }
}
