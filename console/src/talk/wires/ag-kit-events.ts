import { BrokenStream } from '../../api/client.js';
import type { LiveRun } from '../live-run.js';

/** An event of dialect A (contract ag-kit, section 1.4). */
export type AgKitEvent =
  | { readonly type: 'text'; readonly content: string }
  | { readonly type: 'tool-call-start'; readonly toolCallId: string; readonly toolCallName: string }
  | { readonly type: 'tool-call-args'; readonly toolCallId: string; readonly delta: string }
  | { readonly type: 'tool-call-end'; readonly toolCallId: string }
  | { readonly type: 'tool-result'; readonly toolCallId: string; readonly result: string }
  | { readonly type: 'interrupt'; readonly id: string }
  | { readonly type: 'error'; readonly error: string };

/** What the server says when it ends a stream in order to stop; the wire has no code for it. */
const SHUTDOWN = 'The server is shutting down; the run goes on';

/**
 * Turns AG-Kit events into entries of the conversation. Texts have no ids on this wire: a text goes on until something
 * else comes.
 */
export class AgKitReader {
  private readonly calls = new Map<string, { readonly name: string; args: string; isComplete: boolean }>();
  private text: string | undefined;
  private texts = 0;
  private isInterrupted = false;
  private hasFailed = false;

  constructor(private readonly run: LiveRun) {}

  read(event: AgKitEvent): void {
    this.run.received();
    if (event.type === 'text') return this.append(event.content);
    this.endText();
    switch (event.type) {
      case 'tool-call-start':
      case 'tool-call-args':
      case 'tool-call-end':
      case 'tool-result':
        return this.call(event);
      case 'interrupt':
        this.isInterrupted = true;
        return;
      case 'error':
        if (event.error === SHUTDOWN) throw new BrokenStream('The server stops');
        this.hasFailed = true;
        return this.run.say('error', event.error);
      default:
        return;
    }
  }

  /** The stream is complete: calls without a result wait for this page. */
  end(): void {
    this.endText();
    this.run.received();
    this.run.pending = this.hasFailed
      ? []
      : [...this.calls].flatMap(([callId, { name, args, isComplete }]) => (isComplete ? [{ callId, name, args }] : []));
    const waits = this.isInterrupted || this.run.pending.length > 0;
    if (this.isInterrupted) this.run.pending = [];
    this.run.finished(this.hasFailed ? 'failed' : waits ? 'interrupted' : 'completed');
  }

  private append(piece: string): void {
    const { transcript, id: run } = this.run;
    if (this.text === undefined) {
      this.texts += 1;
      this.text = `${run ?? ''}#text-${this.texts}`;
      transcript.put({ kind: 'text', id: this.text, text: '', done: false, run });
    }
    transcript.change(this.text, 'text', ({ text }) => ({ text: text + piece }));
  }

  private endText(): void {
    if (this.text !== undefined) this.run.transcript.change(this.text, 'text', () => ({ done: true }));
    this.text = undefined;
  }

  private call(event: Extract<AgKitEvent, { readonly toolCallId: string }>): void {
    const { transcript, id: run } = this.run;
    const { toolCallId: id } = event;
    const call = this.calls.get(id);
    if (event.type === 'tool-call-start') {
      this.calls.set(id, { name: event.toolCallName, args: '', isComplete: false });
      transcript.put({ kind: 'call', id, name: event.toolCallName, args: '', done: false, run });
    } else if (event.type === 'tool-call-args') {
      if (call) call.args += event.delta;
      transcript.change(id, 'call', ({ args }) => ({ args: args + event.delta }));
    } else if (event.type === 'tool-call-end') {
      if (call) call.isComplete = true;
      transcript.change(id, 'call', () => ({ done: true }));
    } else {
      this.calls.delete(id);
      transcript.change(id, 'call', () => ({ result: event.result, done: true }));
    }
  }
}
