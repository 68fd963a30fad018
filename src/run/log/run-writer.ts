import { modelOfStep } from '../../agent/index.js';
import { AppError } from '../../common/index.js';
import type { AuditNote } from '../../agent/interrupt/index.js';
import { type AgentEvent, isBuilderEvent, LoggedEvent, type Message, serializeEvent } from '../../events/index.js';
import type { MessageStates } from '../../agent/session/index.js';
import type { SettledCall } from '../../usage/index.js';
import type { JournalStep, LogWrite, RunEnd } from '../ports/run-log.js';
import type { RunRecord } from '../run-record.js';
import type { CommitSource } from './commit-source.js';
import type { GroupCommit } from './group-commit.js';
import type { RunFeed } from './run-feeds.js';

/** Uncommitted events above which an agent has to wait: before its first commit, and after it. */
const FIRST_HIGH_WATER = 16;
const HIGH_WATER = 2048;

/** What a writer needs besides its run. */
export interface WriterOptions {
  readonly commits: GroupCommit;
  readonly feed: RunFeed;
  readonly now: () => number;
  /** Until when this process may write, by the monotonic clock (`Clock.monotonic`). */
  readonly deadline: () => number;
  /** Called once when this process no longer has the run. */
  readonly onLost: (reason: unknown) => void;
  /** Called when the database has lost committed events of the run: it must not continue. */
  readonly onLostEvents: () => void;
  /** The model that has made the newest answer before; null if none has. Default: null. */
  readonly answeredBy?: string | null;
  /** The provider states of messages that join the session; undefined if they have none. */
  readonly statesOf?: (messages: readonly Message[]) => MessageStates | undefined;
}

interface Flush {
  /** The number of committed events and steps that resolves it. */
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * The only writer of a run's log. Events are numbered here, in the order they are written, and reach readers
 * only after their commit. Everything that is written in one turn of the event loop (events, journal
 * steps, the end) is committed together.
 */
export class RunWriter implements CommitSource {
  private seq: number;
  private events: AgentEvent[] = [];
  private lines: string[] = [];
  private steps: JournalStep[] = [];
  private messages: Message[] = [];
  private notes: AuditNote[] = [];
  private spent: SettledCall[] = [];
  private end: RunEnd | undefined;
  private answeredBy: string | null;
  private written = 0;
  private done = 0;
  private inFlight: readonly AgentEvent[] = [];
  private flushes: Flush[] = [];
  private closed = false;
  /** Whether the next commit will take what is written. */
  private isRequested = false;
  /** Low at first, so that the first events are not delayed by work on those that follow. */
  private mark = FIRST_HIGH_WATER;
  /** The events that are not the builder's: the builder itself knows its own, which are too many to keep. */
  private readonly extensionEvents = new WeakSet<AgentEvent>();

  constructor(
    private readonly run: RunRecord,
    private readonly options: WriterOptions,
  ) {
    this.seq = run.nextSeq;
    this.answeredBy = options.answeredBy ?? null;
  }

  get deadline(): number {
    return this.options.deadline();
  }

  /** The time of what is written now, in milliseconds since the epoch. */
  get now(): number {
    return this.options.now();
  }

  /** The number of writes so far: grows with every event and every step. */
  get writes(): number {
    return this.written;
  }

  /** @throws AppError WORKER_LOST when this process no longer has the run, or the run has ended */
  emit(event: AgentEvent): void {
    if (this.closed) throw new AppError('WORKER_LOST');
    if (!isBuilderEvent(event)) this.extensionEvents.add(event);
    this.events.push(event);
    this.lines.push(serializeEvent(event));
    this.request();
  }

  /** Adds a journal step, committed with the events of this turn. @throws as `emit` */
  step(step: JournalStep): void {
    if (this.closed) throw new AppError('WORKER_LOST');
    this.steps.push(step);
    if (step.output) this.answeredBy = modelOfStep(step.output) ?? this.answeredBy;
    this.request();
  }

  /** Adds messages to the session, committed with the event or step of this turn that makes them final. */
  append(messages: readonly Message[]): void {
    if (messages.length > 0) this.messages.push(...messages);
  }

  /** Adds an entry to the audit log, committed with the events of this turn. @throws as `emit` */
  audit(note: AuditNote): void {
    if (this.closed) throw new AppError('WORKER_LOST');
    this.notes.push(note);
    this.request();
  }

  /** Books the end of a model call, committed with what is written in this turn. Without effect if the run writes no more. */
  spend(call: SettledCall): void {
    if (this.closed) return;
    this.spent.push(call);
    this.request();
  }

  /** Ends the run, committed with the terminal event, which has just been written. */
  finish(end: Omit<RunEnd, 'answeredBy'>): void {
    this.end = Object.assign({}, end, { answeredBy: this.answeredBy });
    this.closed = true;
    this.request();
  }

  /** True when this very object, an event that is not the builder's, was written here. */
  has(event: AgentEvent): boolean {
    return this.extensionEvents.has(event);
  }

  /** Resolves when everything written so far is committed. @throws AppError WORKER_LOST */
  flush(): Promise<void> {
    if (this.done === this.written) return Promise.resolve();
    this.options.commits.hurry();
    return new Promise((resolve, reject) => this.flushes.push({ until: this.written, resolve, reject }));
  }

  /** Undefined while few events are uncommitted; above the high-water mark a promise of their commit. */
  highWater(): Promise<void> | undefined {
    return this.lines.length + this.inFlight.length > this.mark ? this.flush() : undefined;
  }

  /** Refuses everything from now on: another process has the run. */
  abandon(): void {
    this.closed = true;
  }

  take(): LogWrite | undefined {
    this.isRequested = false;
    const isEmpty = this.lines.length + this.steps.length + this.notes.length + this.spent.length === 0;
    if (isEmpty && !this.end) return undefined;
    const states = this.joiningStates();
    const write: LogWrite = {
      run: this.run,
      firstSeq: this.seq,
      lines: this.lines,
      steps: this.steps,
      ...(this.messages.length > 0 ? { messages: this.messages } : {}),
      ...(states ? { states } : {}),
      ...(this.notes.length > 0 ? { notes: this.notes } : {}),
      ...(this.spent.length > 0 ? { spent: this.spent } : {}),
      end: this.end,
      at: this.options.now(),
    };
    this.seq += this.lines.length;
    this.inFlight = this.events;
    this.events = [];
    this.lines = [];
    this.steps = [];
    this.messages = [];
    this.notes = [];
    this.spent = [];
    this.end = undefined;
    return write;
  }

  committed(write: LogWrite): void {
    const events = this.inFlight;
    this.inFlight = [];
    this.mark = HIGH_WATER;
    this.done += write.lines.length + write.steps.length + (write.notes?.length ?? 0) + (write.spent?.length ?? 0);
    if (write.end) this.done += 1;
    if (write.lines.length > 0) {
      this.options.feed.publish(
        write.lines.map((line, index) => new LoggedEvent(write.firstSeq + index, line, events[index], write.at)),
      );
    }
    const ready = this.flushes.filter((flush) => flush.until <= this.done);
    if (ready.length === 0) return;
    this.flushes = this.flushes.filter((flush) => flush.until > this.done);
    for (const flush of ready) flush.resolve();
  }

  lost(reason: unknown): void {
    this.closed = true;
    // What follows a write that is lost must not be written.
    this.lines = [];
    this.steps = [];
    this.notes = [];
    this.spent = [];
    this.end = undefined;
    const flushes = this.flushes;
    this.flushes = [];
    for (const flush of flushes) flush.reject(new AppError('WORKER_LOST', undefined, { cause: reason }));
    this.options.onLost(reason);
  }

  restorable(fromSeq: number): readonly LoggedEvent[] | undefined {
    this.options.onLostEvents();
    return this.options.feed.from(fromSeq, Number.MAX_SAFE_INTEGER);
  }

  private joiningStates(): MessageStates | undefined {
    const { messages, end } = this;
    const { statesOf } = this.options;
    if (!statesOf || (messages.length === 0 && !end?.output.length)) return undefined;
    return statesOf(end ? [...messages, ...end.output] : messages);
  }

  private request(): void {
    this.written += 1;
    if (this.isRequested) return;
    this.isRequested = true;
    const { commits } = this.options;
    commits.request(this);
    if (this.mark === FIRST_HIGH_WATER) commits.hurry();
  }
}
