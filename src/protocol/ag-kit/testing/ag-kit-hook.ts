import type { LoggedEvent } from '../../../events/index.js';
import type { FrameEncoder } from '../../wire/frame-encoder.js';
import type { AgKitEvent } from '../ag-kit.types.js';

const FRAME = /^data: ([^\n]+)\n\n$/;

/** The events of a log, each from a frame of its own, and whether `[DONE]` ended them. */
export function agKitEvents(
  encoder: FrameEncoder,
  log: readonly LoggedEvent[],
): { events: AgKitEvent[]; done: boolean } {
  const data = [...log.flatMap((event) => encoder.next(event)), ...encoder.end()].map((frame) => {
    const [, text] = FRAME.exec(frame) ?? [];
    if (text === undefined) throw new Error(`No frame of this wire: ${JSON.stringify(frame)}`);
    return text;
  });
  const done = data.at(-1) === '[DONE]';
  if (done) data.pop();
  return { events: data.map((text) => JSON.parse(text) as AgKitEvent), done };
}

interface HookCall {
  readonly id: string;
  args: string;
  isEnded: boolean;
  result: string | undefined;
}

/** What a client of the dialect holds, and throws or drops, by the rules that its hook forces (contract ag-kit, section 1.7). */
export class AgKitHook {
  text = '';
  interrupt: string | undefined;
  error: string | undefined;
  readonly calls = new Map<string, HookCall>();
  private visible = false;
  /** The calls of the last message when that is the assistant's: only they take arguments. */
  private lastCalls: Set<string> | undefined;

  /** Calls that ended in this stream and have no result: the hook makes those of its own tools and sends all results at once. */
  get toMake(): readonly string[] {
    return [...this.calls.values()].filter((call) => call.isEnded && call.result === undefined).map(({ id }) => id);
  }

  /** @throws Error when the event breaks a rule */
  read(event: AgKitEvent): void {
    if (this.interrupt !== undefined || this.error !== undefined) throw new Error(`${event.type} after the last event`);
    switch (event.type) {
      case 'text':
        this.text += event.content;
        this.visible ||= event.content.trim() !== '';
        this.lastCalls ??= new Set();
        return;
      case 'tool-call-start':
        if (this.calls.has(event.toolCallId)) throw new Error(`${event.toolCallId} starts twice`);
        this.calls.set(event.toolCallId, { id: event.toolCallId, args: '', isEnded: false, result: undefined });
        this.visible = true;
        (this.lastCalls ??= new Set()).add(event.toolCallId);
        return;
      case 'tool-call-args':
        if (!this.lastCalls?.has(event.toolCallId)) throw new Error('Last message is not an assistant message.');
        this.open(event.toolCallId).args += event.delta;
        return;
      case 'tool-call-end':
        this.open(event.toolCallId).isEnded = true;
        return;
      case 'tool-result':
        if (typeof event.result !== 'string') throw new Error('a result is a string');
        this.known(event.toolCallId).result = event.result;
        this.lastCalls = undefined;
        return;
      case 'interrupt':
        if (!this.visible) throw new Error('a question that nobody sees');
        if (typeof event.reason !== 'string') throw new Error('a question without a reason');
        this.interrupt = event.id;
        return;
      case 'error':
        this.error = event.error;
    }
  }

  private open(id: string): HookCall {
    const call = this.known(id);
    if (call.isEnded) throw new Error(`${id} has ended`);
    return call;
  }

  private known(id: string): HookCall {
    const call = this.calls.get(id);
    if (!call) throw new Error(`${id} is unknown`);
    return call;
  }
}
