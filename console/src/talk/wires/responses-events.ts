import type { Response, ResponseStreamEvent } from 'openai/resources/responses/responses';
import { BrokenStream } from '../../api/client.js';
import type { LiveRun, PendingCall } from '../live-run.js';

type Item = { readonly type: string; readonly id?: string | undefined } & Readonly<Record<string, unknown>>;

/** Turns the events of a Responses stream into entries of the conversation. */
export class ResponsesReader {
  private readonly written = new Set<string>();
  /** Messages that were closed before their end. One that another item follows was discarded by a recovery. */
  private readonly cut = new Set<string>();

  constructor(private readonly run: LiveRun) {}

  read(event: ResponseStreamEvent): void {
    this.run.received();
    this.run.cursor = event.sequence_number;
    const { transcript } = this.run;
    switch (event.type) {
      case 'response.output_item.added':
        transcript.remove(({ id }) => this.cut.has(id));
        return this.item(event.item as unknown as Item, false);
      case 'response.output_item.done':
        return this.item(event.item as unknown as Item, true);
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return transcript.change(event.item_id, 'text', (entry) => ({ text: entry.text + event.delta }));
      case 'response.reasoning_summary_text.delta':
        return transcript.change(event.item_id, 'reasoning', (entry) => ({ text: entry.text + event.delta }));
      case 'response.function_call_arguments.delta':
      case 'response.mcp_call_arguments.delta':
        return transcript.change(event.item_id, 'call', (entry) => ({ args: entry.args + event.delta }));
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
        return this.finished(event.response);
      case 'error':
        throw new BrokenStream(event.message);
      default:
        return;
    }
  }

  private item(item: Item, done: boolean): void {
    const { transcript, id: run } = this.run;
    const id = item.id ?? '';
    this.written.add(id);
    if (done && item.type === 'message' && item['status'] === 'incomplete') this.cut.add(id);
    const known = transcript.get(id);
    if (item.type === 'message' || item.type === 'reasoning') {
      const text = done ? textOf(item) : known && 'text' in known ? known.text : '';
      transcript.put({ kind: item.type === 'message' ? 'text' : 'reasoning', id, text, done, run });
    } else if (item.type === 'function_call' || item.type === 'mcp_call') {
      const args = typeof item['arguments'] === 'string' ? item['arguments'] : '';
      const failure = item['error'];
      const result = failure ? JSON.stringify(failure) : (item['output'] as string | null | undefined);
      transcript.put({
        kind: 'call',
        id,
        ...(typeof item['call_id'] === 'string' && { callId: item['call_id'] }),
        name: String(item['name']),
        args,
        done,
        run,
        ...(result !== null && result !== undefined && { result }),
        ...(failure ? { outcome: 'failed' } : {}),
      });
    }
  }

  private finished({ status, error, output, incomplete_details }: Response): void {
    const kept = new Set(output.map((item) => item.id));
    const dropped = [...this.written].filter((id) => !kept.has(id));
    if (status === 'completed' && dropped.length > 0) {
      this.run.transcript.remove(({ id }) => dropped.includes(id));
    }
    if (error) this.run.say('error', `${error.message} (${error.code})`);
    if (incomplete_details?.reason) this.run.say('warning', `The answer was cut: ${incomplete_details.reason}.`);
    this.run.pending = output.flatMap((item): PendingCall[] =>
      item.type === 'function_call' ? [{ callId: item.call_id, name: item.name, args: item.arguments }] : [],
    );
    const waits = this.run.pending.length > 0 || output.some(({ type }) => type === 'mcp_approval_request');
    if (status === 'failed') this.run.finished('failed');
    else if (status === 'cancelled') this.run.finished('cancelled');
    else this.run.finished(waits ? 'interrupted' : 'completed');
  }
}

function textOf(item: Item): string {
  const parts = (item['content'] ?? item['summary'] ?? []) as readonly {
    readonly text?: string;
    readonly refusal?: string;
  }[];
  return parts.map(({ text, refusal }) => text ?? refusal ?? '').join('');
}
