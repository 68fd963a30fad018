import { isObject } from '../../lib/format.js';
import type { LiveRun, RunEnd } from '../live-run.js';

interface Content {
  readonly object: 'content';
  readonly type: string;
  readonly index: number;
  readonly delta: boolean;
  readonly msg_id: string;
  readonly text?: string;
  readonly refusal?: string;
  readonly image_url?: string;
  readonly data?: Record<string, unknown>;
}

interface Message {
  readonly object: 'message';
  readonly id: string;
  readonly type: string;
  readonly role: string | null;
  readonly status: string;
  readonly metadata?: Record<string, unknown> | null;
}

interface Response {
  readonly object: 'response';
  readonly id: string;
  readonly status: string;
  readonly session_id: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly output: readonly Message[];
}

/** An event of the Agent API (contract agent-api, section a.3). */
export type AgentApiEvent = (Content | Message | Response) & { readonly sequence_number: number };

const ENDS: Readonly<Record<string, RunEnd>> = {
  completed: 'completed',
  incomplete: 'completed',
  failed: 'failed',
  rejected: 'failed',
  canceled: 'cancelled',
};

/** Turns the events of the Agent API into entries of the conversation. */
export class AgentApiReader {
  private readonly types = new Map<string, string>();
  /** The calls of client tools, by message. */
  private readonly calls = new Map<string, Record<string, unknown>>();
  private readonly written = new Set<string>();
  /** Messages that were closed before their end. One that another message follows was discarded by a recovery. */
  private readonly cut = new Set<string>();

  constructor(private readonly run: LiveRun) {}

  read(event: AgentApiEvent): void {
    this.run.received();
    this.run.cursor = event.sequence_number;
    switch (event.object) {
      case 'response':
        return this.response(event);
      case 'message':
        return this.message(event);
      case 'content':
        return this.content(event);
    }
  }

  private response({ id, status, error, output, session_id }: Response): void {
    this.run.started(id);
    if (session_id) this.run.session = session_id;
    const end = ENDS[status];
    if (end === undefined) return;
    if (end !== 'cancelled' && end !== 'failed') this.dropDiscarded(output);
    if (error) this.run.say(end === 'failed' ? 'error' : 'warning', `${error.message} (${error.code})`);
    const last = output.at(-1);
    const call = last?.type === 'function_call' ? output.filter(({ type }) => type === 'function_call') : [];
    this.run.pending = call.flatMap(({ id: message }) => {
      const data = this.calls.get(message);
      return data ? [{ callId: text(data['call_id']), name: text(data['name']), args: text(data['arguments']) }] : [];
    });
    this.run.finished(last?.type === 'mcp_approval_request' || call.length > 0 ? 'interrupted' : end);
  }

  /** Messages of a step that a recovered run repeated are not in the output. */
  private dropDiscarded(output: readonly Message[]): void {
    const kept = new Set(output.map(({ id }) => id));
    this.drop(new Set([...this.written].filter((id) => !kept.has(id))));
  }

  private drop(dropped: ReadonlySet<string>): void {
    if (dropped.size === 0) return;
    this.run.transcript.remove(
      (entry) =>
        dropped.has(entry.id.split('#')[0] ?? '') || (entry.kind === 'call' && dropped.has(entry.parent ?? '')),
    );
  }

  private message({ id, type, status, metadata }: Message): void {
    this.types.set(id, type);
    if (status === 'created') {
      this.written.add(id);
      this.drop(this.cut);
    }
    if (status === 'incomplete' && type === 'message') this.cut.add(id);
    const { transcript } = this.run;
    if (status === 'created' || status === 'in_progress') return;
    for (const kind of ['text', 'reasoning'] as const) transcript.change(`${id}#0`, kind, () => ({ done: true }));
    const card = metadata?.['ui_schema'];
    if (isObject(card)) transcript.put({ kind: 'card', id: `${id}#card`, card, run: this.run.id });
  }

  private content(content: Content): void {
    const { type, msg_id, index, image_url, data } = content;
    const id = `${msg_id}#${index}`;
    const { transcript } = this.run;
    if (type === 'text' || type === 'refusal') {
      const kind = this.types.get(msg_id) === 'reasoning' ? 'reasoning' : 'text';
      const known = transcript.get(id);
      const before = known && 'text' in known && content.delta ? known.text : '';
      const piece = content.text ?? content.refusal ?? '';
      transcript.put({ kind, id, text: before + piece, done: !content.delta, run: this.run.id });
    } else if (type === 'image' && image_url) transcript.put({ kind: 'image', id, url: image_url, run: this.run.id });
    else if (type === 'data' && data) this.data(msg_id, content, data);
  }

  private data(message: string, { delta }: Content, data: Record<string, unknown>): void {
    const type = this.types.get(message) ?? '';
    const id = text(data['call_id']);
    const { transcript } = this.run;
    if (type.endsWith('_call_output')) {
      transcript.change(id, 'call', () => ({ result: text(data['output']), done: true }));
    } else if (type.endsWith('_call')) {
      if (type === 'function_call') this.calls.set(message, data);
      const [name, args] = [text(data['name']), text(data['arguments'])];
      transcript.put({ kind: 'call', id, name, args, parent: message, done: !delta, run: this.run.id });
    }
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value);
}
