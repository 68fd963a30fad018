import { uuid } from '../../lib/random.js';
import type { LiveRun, PendingCall } from '../live-run.js';

/** The functions by which the server asks for decisions (contract chat-completions, section C2). */
export const APPROVAL_TOOL = 'request_approval';
export const INPUT_TOOL = 'request_input';
/** Between two texts of an answer. */
const TEXT_BREAK = '\n\n';

/** What the page reads of a chunk, or of the error in place of the last one. */
export interface CompletionFrame {
  readonly id?: string;
  readonly choices?: readonly {
    readonly delta: {
      readonly content?: string | null;
      readonly refusal?: string | null;
      readonly tool_calls?: readonly {
        readonly id?: string;
        readonly function?: { readonly name?: string; readonly arguments?: string };
      }[];
    };
    readonly finish_reason: string | null;
  }[];
  readonly error?: { readonly message: string; readonly code: string };
}

/** Turns the chunks of a completion into entries of the conversation. */
export class CompletionReader {
  /** The entry that is being written. */
  private open: { readonly kind: 'text' | 'reasoning'; readonly id: string; text: string } | undefined;
  private readonly calls: PendingCall[] = [];
  private frames = 0;

  constructor(private readonly run: LiveRun) {}

  read(frame: CompletionFrame): void {
    this.run.received();
    this.frames += 1;
    this.run.cursor = this.frames;
    this.run.started(frame.id);
    if (frame.error) return this.failed(frame.error);
    for (const { delta, finish_reason: reason } of frame.choices ?? []) {
      if (delta.content === TEXT_BREAK) this.close();
      else this.write('text', delta.content);
      this.write('text', delta.refusal);
      // The SDK has no name for it, but passes it on.
      this.write('reasoning', (delta as { reasoning_content?: string }).reasoning_content);
      for (const call of delta.tool_calls ?? []) this.call(call.id ?? '', call.function ?? {});
      if (reason !== null) this.finished(reason);
    }
  }

  /** The stream is complete. */
  end(): void {
    this.close();
  }

  private write(kind: 'text' | 'reasoning', piece: string | null | undefined): void {
    if (!piece) return;
    if (this.open?.kind !== kind) {
      this.close();
      this.open = { kind, id: uuid(), text: '' };
    }
    this.open.text += piece;
    const { id, text } = this.open;
    this.run.transcript.put({ kind, id, text, done: false, run: this.run.id });
  }

  private close(): void {
    if (this.open) this.run.transcript.change(this.open.id, this.open.kind, () => ({ done: true }));
    this.open = undefined;
  }

  /** Questions of the server are shown by the page itself. */
  private call(callId: string, { name = '', arguments: args = '' }: { name?: string; arguments?: string }): void {
    this.close();
    this.calls.push({ callId, name, args });
    if (name === APPROVAL_TOOL || name === INPUT_TOOL) return;
    this.run.transcript.put({ kind: 'call', id: callId, name, args, done: true, run: this.run.id });
  }

  private finished(reason: string): void {
    this.close();
    if (reason === 'length' || reason === 'content_filter') this.run.say('warning', `The answer was cut: ${reason}.`);
    this.run.pending = this.calls.filter(({ name }) => name !== APPROVAL_TOOL && name !== INPUT_TOOL);
    this.run.finished(reason === 'tool_calls' ? 'interrupted' : 'completed');
  }

  private failed({ message, code }: { readonly message: string; readonly code: string }): void {
    this.close();
    if (code === 'run_canceled') return this.run.finished('cancelled');
    this.run.say('error', `${message} (${code})`);
    this.run.finished('failed');
  }
}
