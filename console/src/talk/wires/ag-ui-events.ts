import type { BaseEvent } from '@ag-ui/client';
import { BrokenStream } from '../../api/client.js';
import { isObject } from '../../lib/format.js';
import type { LiveRun } from '../live-run.js';

type Fields = Readonly<Record<string, unknown>>;

/** Turns AG-UI events into entries of the conversation; the Runs API and CopilotKit have the same ones. */
export class AgUiReader {
  private readonly open = new Map<string, { readonly name: string; args: string }>();

  private images = 0;

  constructor(private readonly run: LiveRun) {}

  read(event: BaseEvent): void {
    this.run.received();
    const fields = event as unknown as Fields;
    const { transcript, id: run } = this.run;
    const id = text(fields['messageId']);
    switch (fields['type']) {
      case 'TEXT_MESSAGE_START':
        if (fields['role'] !== 'user') transcript.put({ kind: 'text', id, text: '', done: false, run });
        return;
      case 'REASONING_MESSAGE_START':
        return transcript.put({ kind: 'reasoning', id, text: '', done: false, run });
      case 'TEXT_MESSAGE_CONTENT':
        return transcript.change(id, 'text', (entry) => ({ text: entry.text + text(fields['delta']) }));
      case 'REASONING_MESSAGE_CONTENT':
        return transcript.change(id, 'reasoning', (entry) => ({ text: entry.text + text(fields['delta']) }));
      case 'TEXT_MESSAGE_END':
        return transcript.change(id, 'text', () => ({ done: true }));
      case 'REASONING_MESSAGE_END':
        return transcript.change(id, 'reasoning', () => ({ done: true }));
      case 'CUSTOM':
        return this.custom(text(fields['name']), fields['value']);
      case 'RUN_ERROR':
        // A stream that the server ends in order to stop: the run itself goes on.
        if (fields['code'] === 'SHUTTING_DOWN') throw new BrokenStream('The server stops');
        this.run.say('error', `${text(fields['message'])} (${text(fields['code'])})`);
        return this.run.finished('failed');
      case 'RUN_FINISHED':
        return this.finished(fields);
      default:
        return this.call(fields);
    }
  }

  private call(fields: Fields): void {
    const { transcript, id: run } = this.run;
    const id = text(fields['toolCallId']);
    switch (fields['type']) {
      case 'TOOL_CALL_START': {
        const name = text(fields['toolCallName']);
        this.open.set(id, { name, args: '' });
        const parent = text(fields['parentMessageId']);
        return transcript.put({ kind: 'call', id, name, args: '', parent, done: false, run });
      }
      case 'TOOL_CALL_ARGS': {
        const call = this.open.get(id);
        if (call) call.args += text(fields['delta']);
        return transcript.change(id, 'call', (entry) => ({ args: entry.args + text(fields['delta']) }));
      }
      case 'TOOL_CALL_END':
        return transcript.change(id, 'call', () => ({ done: true }));
      case 'TOOL_CALL_RESULT':
        this.open.delete(id);
        return transcript.change(id, 'call', () => ({ result: text(fields['content']), done: true }));
      default:
        return;
    }
  }

  private custom(name: string, value: unknown): void {
    const data = isObject(value) ? value : {};
    const { transcript, id: run } = this.run;
    if (name === 'message.content' && data['type'] === 'image') {
      this.images += 1;
      const url = text(data['image_url']);
      transcript.put({ kind: 'image', id: `${text(data['messageId'])}#image-${this.images}`, url, run });
    } else if (name === 'ui_schema' && isObject(data['ui_schema'])) {
      transcript.put({ kind: 'card', id: `${text(data['messageId'])}#card`, card: data['ui_schema'], run });
    } else if (name === 'run.recovered') {
      const discarded = new Set(Array.isArray(data['discardedMessageIds']) ? data['discardedMessageIds'] : []);
      transcript.remove((entry) => discarded.has(entry.id) || (entry.kind === 'call' && discarded.has(entry.parent)));
    } else if (name === 'run.incomplete') this.run.say('warning', text(data['message']));
  }

  private finished({ outcome }: Fields): void {
    const { type, pendingToolCallIds } = isObject(outcome) ? outcome : ({} as Fields);
    const ids = new Set(Array.isArray(pendingToolCallIds) ? pendingToolCallIds : []);
    this.run.pending = [...this.open].flatMap(([callId, call]) => (ids.has(callId) ? [{ callId, ...call }] : []));
    if (type === 'cancelled') this.run.finished('cancelled');
    else this.run.finished(type === 'interrupt' || this.run.pending.length > 0 ? 'interrupted' : 'completed');
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}
