import type { IncomingMessage, ServerResponse } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { LoopbackServer } from './loopback-server.js';

type Json = Readonly<Record<string, unknown>>;

/** What an answer consists of, in the words of one API. */
type Parts = readonly Json[];

/** One API as its strict double knows it. */
export interface NativeApi {
  /** Thoughts that must come back and a call of the weather tool; or thoughts and a text. */
  answer(turn: number, call: boolean): Parts;
  /** True if `write` sends the head and the end, too. */
  readonly endsAnswers?: boolean;
  /** Streams an answer. */
  write(response: ServerResponse, parts: Parts): void;
  /** The answers of the conversation in a request, as `answer` made them. */
  answersIn(body: Json): readonly Parts[];
  /** Why a request is refused besides its answers; undefined if it is not. */
  refusal(body: Json): string | undefined;
  /** The texts of the user's last message; undefined if the last message has results. */
  lastWords(body: Json): string | undefined;
}

/** A strict double of a provider's API: every answer in a conversation must come back as it was given. */
export class NativeServer extends LoopbackServer {
  readonly bodies: Json[] = [];
  /** What was refused, and why. */
  readonly refusals: string[] = [];
  private readonly given: Parts[] = [];

  constructor(private readonly api: NativeApi) {
    super();
  }

  /** The address that the packages are given. */
  override get url(): string {
    return `${super.url}/v1`;
  }

  /** How many answers the last request had. */
  get returned(): number {
    return this.api.answersIn(this.bodies.at(-1) ?? {}).length;
  }

  protected override handle(_: IncomingMessage, response: ServerResponse, bytes: Buffer): void {
    const body = JSON.parse(bytes.toString()) as Json;
    this.bodies.push(body);
    const strange = this.api.answersIn(body).find((parts) => !this.given.some((one) => isDeepStrictEqual(one, parts)));
    const refusal = this.api.refusal(body) ?? (strange && `An answer was changed: ${JSON.stringify(strange)}`);
    if (refusal !== undefined) {
      this.refusals.push(refusal);
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message: refusal, type: 'invalid_request_error', code: 400 } }));
      return;
    }
    const parts = this.api.answer(this.bodies.length, this.api.lastWords(body)?.includes('Look') ?? false);
    this.given.push(parts);
    if (!this.api.endsAnswers) response.writeHead(200, { 'content-type': 'text/event-stream' });
    this.api.write(response, parts);
    if (!this.api.endsAnswers) response.end();
  }
}

const ARGUMENTS = { city: 'Paris' };

function send(response: ServerResponse, event: Json): void {
  const { type } = event;
  response.write(`${typeof type === 'string' ? `event: ${type}\n` : ''}data: ${JSON.stringify(event)}\n\n`);
}

interface Message {
  readonly role: string;
  readonly content: string | Parts;
}

/** Anthropic's Messages API: signed and redacted thinking first, results first, no blank text. */
export const ANTHROPIC: NativeApi = {
  answer: (turn, call) => [
    { type: 'thinking', thinking: `Thoughts ${turn}`, signature: `signature-${turn}` },
    { type: 'redacted_thinking', data: `redacted-${turn}` },
    call
      ? { type: 'tool_use', id: `toolu_${turn}`, name: 'get_weather', input: ARGUMENTS }
      : { type: 'text', text: `Answer ${turn}.` },
  ],
  write: (response, parts) => {
    const usage = { input_tokens: 5, output_tokens: 1 };
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude', content: [], usage };
    send(response, { type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } });
    parts.forEach((part, index) => {
      const { type, thinking, signature, text, input } = part;
      const begin: Record<string, Json> = {
        thinking: { type, thinking: '', signature: '' },
        text: { type, text: '' },
        tool_use: { ...part, input: {} },
      };
      send(response, { type: 'content_block_start', index, content_block: begin[String(type)] ?? part });
      const delta = (value: Json): void => send(response, { type: 'content_block_delta', index, delta: value });
      if (thinking !== undefined) delta({ type: 'thinking_delta', thinking });
      if (signature !== undefined) delta({ type: 'signature_delta', signature });
      if (text !== undefined) delta({ type: 'text_delta', text });
      if (input !== undefined) delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) });
      send(response, { type: 'content_block_stop', index });
    });
    const reason = parts.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn';
    send(response, { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage });
    send(response, { type: 'message_stop' });
  },
  answersIn: ({ messages }) =>
    (messages as Message[] | undefined)?.flatMap(({ role, content }) =>
      role === 'assistant' && typeof content !== 'string' ? [content] : [],
    ) ?? [],
  refusal: ({ messages, temperature }) => {
    const [first, ...others] = messages as Message[];
    if (first?.role !== 'user') return 'messages: first message must use the "user" role';
    if (temperature !== undefined) return '`temperature` may only be set to 1 when thinking is enabled.';
    for (const { role, content } of others) {
      if (role === 'system') return 'messages: Unexpected role "system".';
      const types = typeof content === 'string' ? [] : content.map(({ type }) => type);
      if (types.lastIndexOf('tool_result') > types.indexOf('text') && types.includes('text')) return 'results first';
    }
    return undefined;
  },
  lastWords: ({ messages }) => {
    const content = (messages as Message[]).at(-1)?.content ?? '';
    return JSON.stringify(content).includes('tool_result') ? undefined : JSON.stringify(content);
  },
};

interface Content {
  readonly role: string;
  readonly parts: Parts;
}

/** The package makes ids of its own for calls that have none. */
function withoutId(part: Json): Json {
  const call = part['functionCall'] as Json | undefined;
  if (!call) return part;
  const { name, args } = call;
  return { ...part, functionCall: { name, args } };
}

/** Google's Gemini API: signatures on the parts with which they came. */
export const GOOGLE: NativeApi = {
  answer: (turn, call) => [
    { text: `Thoughts ${turn}`, thought: true },
    call
      ? { functionCall: { name: 'get_weather', args: ARGUMENTS }, thoughtSignature: `signature-${turn}` }
      : { text: `Answer ${turn}.`, thoughtSignature: `signature-${turn}` },
  ],
  write: (response, parts) => {
    const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 5, totalTokenCount: 10 };
    parts.forEach((part, index) => {
      const end = index === parts.length - 1 ? { finishReason: 'STOP' } : {};
      send(response, { candidates: [{ content: { parts: [part], role: 'model' }, index: 0, ...end }], usageMetadata });
    });
  },
  answersIn: ({ contents }) =>
    (contents as Content[] | undefined)?.flatMap(({ role, parts }) =>
      // The package adds members without a value.
      role === 'model' ? [(JSON.parse(JSON.stringify(parts)) as Parts).map(withoutId)] : [],
    ) ?? [],
  refusal: ({ contents }) => {
    const all = contents as Content[];
    if (all[0]?.role !== 'user') return 'Please ensure that the first content is of the user';
    for (const [index, { parts }] of all.entries()) {
      const calls = parts.filter((part) => part['functionCall']).length;
      const results = all[index + 1]?.parts.filter((part) => part['functionResponse']) ?? [];
      if (calls !== results.length) return 'the number of function response parts must equal that of call parts';
      if (results.some((part) => (part['functionResponse'] as Json)['name'] !== 'get_weather')) return 'wrong name';
    }
    return undefined;
  },
  lastWords: ({ contents }) => {
    const parts = (contents as Content[]).at(-1)?.parts ?? [];
    return parts.some((part) => part['functionResponse']) ? undefined : JSON.stringify(parts);
  },
};

/** The members of an item that must come back. */
function itemOf({ type, id, summary, encrypted_content, call_id, name, arguments: text, content }: Json): Json {
  if (type === 'reasoning') return { type, id, summary, encrypted_content };
  if (type === 'function_call') return { type, call_id, name, arguments: text };
  const [part] = (content ?? []) as Parts;
  return { type: 'message', id, text: part?.['text'] };
}

/** OpenAI's Responses API that stores nothing: reasoning items with their encrypted content, each before its item. */
export const OPENAI: NativeApi = {
  answer: (turn, call) => [
    {
      type: 'reasoning',
      id: `rs_${turn}`,
      summary: [{ type: 'summary_text', text: `Thoughts ${turn}` }],
      encrypted_content: `encrypted-${turn}`,
    },
    call
      ? { type: 'function_call', call_id: `call_${turn}`, name: 'get_weather', arguments: JSON.stringify(ARGUMENTS) }
      : { type: 'message', id: `msg_${turn}`, text: `Answer ${turn}.` },
  ],
  write: (response, parts) => {
    const head = { id: 'resp_1', created_at: 1, model: 'gpt-5', object: 'response', status: 'in_progress', output: [] };
    send(response, { type: 'response.created', response: head });
    parts.forEach((part, output_index) => {
      const { type, id = `fc_${output_index}`, text, arguments: args } = part;
      if (type === 'reasoning') {
        const item = { type, id, encrypted_content: 'not yet', summary: [] };
        send(response, { type: 'response.output_item.added', output_index, item });
        const place = { item_id: id, output_index, summary_index: 0 };
        send(response, { type: 'response.reasoning_summary_part.added', ...place });
        const [summary] = part['summary'] as { text: string }[];
        send(response, { type: 'response.reasoning_summary_text.delta', ...place, delta: summary?.text });
        send(response, { type: 'response.reasoning_summary_part.done', ...place });
        send(response, { type: 'response.output_item.done', output_index, item: part });
      } else if (type === 'function_call') {
        const item = { ...part, id, status: 'in_progress', arguments: '' };
        send(response, { type: 'response.output_item.added', output_index, item });
        send(response, { type: 'response.function_call_arguments.delta', item_id: id, output_index, delta: args });
        const done = { ...part, id, status: 'completed' };
        send(response, { type: 'response.output_item.done', output_index, item: done });
      } else {
        const item = { type, id, role: 'assistant', status: 'in_progress', content: [] };
        send(response, { type: 'response.output_item.added', output_index, item });
        const place = { item_id: id, output_index, content_index: 0 };
        send(response, { type: 'response.output_text.delta', ...place, delta: text });
        const content = [{ type: 'output_text', text, annotations: [] }];
        const done = { ...item, status: 'completed', content };
        send(response, { type: 'response.output_item.done', output_index, item: done });
      }
    });
    const usage = { input_tokens: 5, output_tokens: 5, total_tokens: 10 };
    send(response, { type: 'response.completed', response: { ...head, status: 'completed', usage } });
  },
  answersIn: ({ input }) => {
    const answers: Json[][] = [];
    let open = false;
    for (const item of (input ?? []) as Parts) {
      const isOurs = item['type'] === 'reasoning' || item['type'] === 'function_call' || item['role'] === 'assistant';
      if (isOurs && open) answers.at(-1)?.push(itemOf(item));
      else if (isOurs) answers.push([itemOf(item)]);
      open = isOurs;
    }
    return answers;
  },
  refusal: ({ input, store, include }) => {
    if (store !== false) return 'This organization stores nothing: store must be false';
    if (!(include as string[] | undefined)?.includes('reasoning.encrypted_content')) return 'include is missing';
    const reference = (input as Parts).find(({ type }) => type === 'item_reference');
    return reference && `Item with id '${String(reference['id'])}' not found.`;
  },
  lastWords: ({ input }) => {
    const last = (input as Parts).at(-1);
    return last?.['type'] === 'function_call_output' ? undefined : JSON.stringify(last);
  },
};
