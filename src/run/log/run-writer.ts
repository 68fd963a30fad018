import { AppError } from '../../common/index.js';
import type { AuditNote } from '../../interrupt/index.js';
import { type AgentEvent, isBuilderEvent, LoggedEvent, type Message, serializeEvent } from '../../events/index.js';
import type { LogWrite, RunEnd, StepWrite } from '../ports/run-log.js';
import type { RunRecord } from '../ports/run-store.js';
import type { CommitSource, GroupCommit } from './group-commit.js';
import type { RunFeed } from './run-feed.js';

/** Uncommitted events above which an agent is asked to wait. */
const CROWDED = 2048;

/** What a writer is given beside its run. */
export interface WriterOptions {
  readonly commits: GroupCommit;
  readonly feed: RunFeed;
  readonly now: () => number;
  /** Until when the run is this process's, in epoch milliseconds. */
  readonly leaseUntil: () => number;
  /** Called once when this process turns out to have lost the run. */
  readonly onLost: (reason: unknown) => void;
}

interface Flush {
  /** Resolved when this many events and steps are committed. */
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * The one writer of a run's log. Events get their numbers here, in the order they are written; they
 * are shown to readers only after their commit. Everything that is written in one turn of the event
 * loop (events, journal entries, the end) is committed together.
 */
export class RunWriter implements CommitSource {
  private seq: number;
  private events: AgentEvent[] = [];
  private lines: string[] = [];
  private steps: StepWrite[] = [];
  private messages: Message[] = [];
  private notes: AuditNote[] = [];
  private end: RunEnd | undefined;
  private written = 0;
  private done = 0;
  private inFlight: readonly AgentEvent[] = [];
  private flushes: Flush[] = [];
  private closed = false;
  /** The events beside the response's own: those the builder knows, and they are too many to keep. */
  private readonly richer = new WeakSet<AgentEvent>();

  constructor(
    private readonly run: RunRecord,
    private readonly options: WriterOptions,
  ) {
    this.seq = run.nextSeq;
  }

  get leaseUntil(): number {
    return this.options.leaseUntil();
  }

  /** How often something was written: grows with every event and every step. */
  get writes(): number {
    return this.written;
  }

  /** @throws AppError WORKER_LOST when this process no longer has the run, or the run has ended */
  emit(event: AgentEvent): void {
    if (this.closed) throw new AppError('WORKER_LOST');
    if (!isBuilderEvent(event)) this.richer.add(event);
    this.events.push(event);
    this.lines.push(serializeEvent(event));
    this.request();
  }

  /** Adds a journal entry to what is committed with the events of this turn. @throws as `emit` */
  step(step: StepWrite): void {
    if (this.closed) throw new AppError('WORKER_LOST');
    this.steps.push(step);
    this.request();
  }

  /** Adds messages to the session, in the commit of the event or the step of this turn that makes them final. */
  say(messages: readonly Message[]): void {
    if (messages.length > 0) this.messages.push(...messages);
  }

  /** Adds a line for the audit trail to what is committed with the events of this turn. @throws as `emit` */
  note(note: AuditNote): void {
    if (this.closed) throw new AppError('WORKER_LOST');
    this.notes.push(note);
    this.request();
  }

  /** Ends the run together with the terminal event, which has just been written. */
  finish(end: RunEnd): void {
    this.end = end;
    this.closed = true;
    this.request();
  }

  /** True when this very state, step, activity, custom or interrupt event was written here. */
  has(event: AgentEvent): boolean {
    return this.richer.has(event);
  }

  /** Resolves when everything written so far is committed. @throws AppError WORKER_LOST */
  flush(): Promise<void> {
    if (this.done === this.written) return Promise.resolve();
    return new Promise((resolve, reject) => this.flushes.push({ until: this.written, resolve, reject }));
  }

  /** A promise of a better moment when the log lags far behind, else undefined. */
  crowded(): Promise<void> | undefined {
    return this.lines.length + this.inFlight.length > CROWDED ? this.flush() : undefined;
  }

  /** Refuses everything from now on: another process has the run. */
  abandon(): void {
    this.closed = true;
  }

  take(): LogWrite | undefined {
    if (this.lines.length === 0 && this.steps.length === 0 && this.notes.length === 0 && !this.end) return undefined;
    const write: LogWrite = {
      runRowId: this.run.rowId,
      sessionRowId: this.run.sessionRowId,
      runOrdinal: this.run.ordinal,
      fence: this.run.fence,
      firstSeq: this.seq,
      lines: this.lines,
      steps: this.steps,
      ...(this.messages.length > 0 ? { messages: this.messages } : {}),
      ...(this.notes.length > 0 ? { notes: this.notes } : {}),
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
    this.end = undefined;
    return write;
  }

  committed(write: LogWrite): void {
    const events = this.inFlight;
    this.inFlight = [];
    this.done += write.lines.length + write.steps.length + (write.notes?.length ?? 0) + (write.end ? 1 : 0);
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
    const flushes = this.flushes;
    this.flushes = [];
    for (const flush of flushes) flush.reject(new AppError('WORKER_LOST', undefined, { cause: reason }));
    this.options.onLost(reason);
  }

  private request(): void {
    this.written += 1;
    this.options.commits.request(this);
  }
}
