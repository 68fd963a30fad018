import { uuid } from '../lib/random.js';
import type { Transcript } from './transcript.js';

/** How a run ended: for good, or until somebody answers. */
export type RunEnd = 'completed' | 'failed' | 'cancelled' | 'interrupted';

/** A call of a client tool that waits for this page. */
export interface PendingCall {
  readonly callId: string;
  readonly name: string;
  readonly args: string;
}

/** A run that the page follows: what it has of it, and where it stands in the stream. */
export class LiveRun {
  /** The server's id, once it is known. */
  id: string | undefined;
  session: string;
  end: RunEnd | undefined;
  /** A position in the wire's own stream, as that wire counts. */
  cursor: number | string | undefined;
  pending: PendingCall[] = [];
  /** Why the server has not begun the run, where its stream says so. */
  refusal: string | undefined;
  /** Called with everything that the stream brings. */
  onReceived: (() => void) | undefined;
  /** Called when a client that reconnects by itself has lost its connection. */
  onLost: (() => void) | undefined;
  private readonly aborter = new AbortController();

  constructor(
    readonly transcript: Transcript,
    session: string,
    private readonly onStarted: (run: LiveRun) => void,
  ) {
    this.session = session;
  }

  get signal(): AbortSignal {
    return this.aborter.signal;
  }

  /** The server has accepted the run. */
  started(id: string | null | undefined): void {
    if (!id || this.id === id) return;
    this.id = id;
    this.onStarted(this);
  }

  /** The stream has brought something. */
  received(): void {
    this.onReceived?.();
  }

  /** The page stops following; the run itself goes on. */
  leave(): void {
    this.aborter.abort();
  }

  /** The run is over: nothing of it is being written any more, and of a run that failed or was stopped nothing waits. */
  finished(end: RunEnd): void {
    this.end = end;
    const outcome = end === 'cancelled' ? 'canceled' : end === 'failed' ? 'failed' : undefined;
    const { transcript, id: run } = this;
    if (outcome) transcript.changeCalls((one) => one.run === run && one.result === undefined, { outcome, done: true });
    transcript.complete(run);
  }

  /** Says something about the run between its messages. */
  say(tone: 'info' | 'warning' | 'error', text: string, id: string = uuid()): void {
    if (tone === 'error' && this.id === undefined) this.refusal = text;
    else this.put(tone, text, id);
  }

  private put(tone: 'info' | 'warning' | 'error', text: string, id: string): void {
    this.transcript.put({ kind: 'notice', id, tone, text, run: this.id });
  }

  /** Forgets what the run wrote, before it is read again from its beginning. */
  restart(): void {
    const { id } = this;
    this.cursor = undefined;
    this.pending = [];
    this.transcript.remove((entry) => entry.run !== undefined && entry.run === id && entry.kind !== 'notice');
  }
}
