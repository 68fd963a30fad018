import { isPlainObject, type JsonObject } from '../../../common/index.js';
import type { Usage } from '../../../events/index.js';
import type { ModelEvent, ModelFinishReason } from '../../ports/model-client.js';
import { UpstreamStreamError } from '../upstream/upstream-error.js';
import { REPLAY_KEY, type ReplayedAnswer } from './replayed-answer.js';
import type { SseSplitter } from './sse-splitter.js';
import { TextTemplate } from './text-template.js';
import { ToolCallDecoder } from './tool-call-decoder.js';

type Fields = Readonly<Record<string, unknown>>;

/** The reasons of the original API and those of servers that imitate it. */
const FINISH_REASONS: ReadonlyMap<string, ModelFinishReason> = new Map(
  Object.entries<ModelFinishReason>({
    stop: 'stop',
    eos: 'stop',
    end_turn: 'stop',
    stop_sequence: 'stop',
    length: 'length',
    max_tokens: 'length',
    model_length: 'length',
    model_context_window_exceeded: 'length',
    tool_calls: 'tool-calls',
    tool_use: 'tool-calls',
    function_call: 'tool-calls',
    content_filter: 'content-filter',
    content_filtered: 'content-filter',
    safety: 'content-filter',
    sensitive: 'content-filter',
  }),
);

/** The answer was cut by a fault of the provider. */
const FAULTS: ReadonlySet<string> = new Set(['error', 'abort', 'network_error', 'insufficient_system_resource']);

/** Codes that some providers send with what did not fail. */
const SUCCESS = /^(0+|200|ok|success)$/i;

/**
 * Turns the chunks of one chat completion into model events; holds the state of that one completion.
 * Accepts the dialects of the providers: docs/models.md lists them.
 */
export class CompletionDecoder {
  /** True for a chunk that consists of this text only. */
  private static isPieceOfText(this: void, data: string, text: string): boolean {
    const events: ModelEvent[] = [];
    const decoder = new CompletionDecoder();
    decoder.read(data, '', events);
    const [event] = events;
    if (events.length !== 1 || event?.type !== 'text-delta' || event.text !== text) return false;
    if (decoder.calls.hasDeltas) return false;
    return decoder.finishReason === undefined && decoder.usage === null && decoder.reasoningContent === '';
  }

  /** How many chunks were decoded. */
  chunks = 0;
  private readonly calls = new ToolCallDecoder();
  private readonly template = new TextTemplate();
  private finishReason: string | undefined;
  private usage: Usage | null = null;
  /** The text of `reasoning_content`: DeepSeek refuses calls that come back without it. */
  private reasoningContent = '';

  /**
   * Decodes one chunk of a stream and adds its events. After the finish reason, what is not a whole chunk is skipped.
   *
   * @param eventName the `event` field of the server-sent event
   * @throws UpstreamStreamError when it is an error of the provider, or no chunk
   */
  decode(data: string, eventName: string, events: ModelEvent[]): void {
    this.chunks += 1;
    const before = events.length;
    this.read(data, eventName, events);
    const last = events.at(-1);
    if (events.length === before + 1 && last?.type === 'text-delta')
      this.template.learn(data, last.text, CompletionDecoder.isPieceOfText);
  }

  /** Decodes the next chunks of a stream as long as they differ from one before in their text only. @returns whether there was one */
  decodeAlike(stream: SseSplitter, most: number, events: ModelEvent[]): boolean {
    const texts = stream.nextAlike(this.template, most);
    for (const text of texts) events.push({ type: 'text-delta', text });
    this.chunks += texts.length;
    return texts.length > 0;
  }

  /** Decodes the JSON answer of a server that does not stream. @throws as `decode` */
  decodeWhole(data: string, events: ModelEvent[]): void {
    const choice = this.choiceOf(this.parsed(data), false);
    if (choice) this.readAnswer(choice['message'] ?? choice['delta'], events);
  }

  /** True once a finish reason was decoded: only usage can follow. */
  get isFinished(): boolean {
    return this.finishReason !== undefined;
  }

  /** Adds the last events, when the stream has ended. @throws UpstreamStreamError when the answer has not */
  end(events: ModelEvent[]): void {
    const reason = this.finishReason?.toLowerCase();
    if (reason === undefined || FAULTS.has(reason)) {
      throw new UpstreamStreamError(new Error(`The finish reason of the stream is ${reason}`));
    }
    this.calls.end(events);
    const mapped = FINISH_REASONS.get(reason) ?? 'other';
    // Several providers end an answer that calls tools with `stop`.
    const callsTools = this.calls.count > 0 && (mapped === 'stop' || mapped === 'other');
    const replay = this.calls.count > 0 ? this.replay() : undefined;
    const reported = callsTools ? 'tool-calls' : mapped;
    events.push({ type: 'finish', reason: reported, usage: this.usage, ...(replay && { replay }) });
  }

  /** What the next request must repeat with this answer; undefined if nothing. */
  private replay(): JsonObject | undefined {
    const { extras } = this.calls;
    if (this.reasoningContent === '' && !extras) return undefined;
    const answer: ReplayedAnswer = {
      ...(this.reasoningContent === '' ? {} : { reasoning_content: this.reasoningContent }),
      ...(extras && { extra_content: extras }),
    };
    return { [REPLAY_KEY]: { ...answer } };
  }

  private read(data: string, eventName: string, events: ModelEvent[]): void {
    if (this.isFinished && !isJsonObject(data)) return;
    const isError = eventName === 'error';
    const chunk = isError && !isJsonObject(data) ? { error: data } : this.parsed(data);
    const choice = chunk === undefined ? undefined : this.choiceOf(chunk, isError);
    if (choice) this.readAnswer(choice['delta'] ?? choice['message'], events);
  }

  /** The value of a chunk; undefined for invalid JSON after the finish reason. @throws UpstreamStreamError before it */
  private parsed(data: string): unknown {
    try {
      return JSON.parse(data);
    } catch (error) {
      if (this.isFinished) return undefined;
      throw new UpstreamStreamError(error);
    }
  }

  /** The first choice of a chunk; its usage and finish reason are kept. */
  private choiceOf(chunk: unknown, isError: boolean): Fields | undefined {
    if (!isPlainObject(chunk)) {
      throw new UpstreamStreamError(errorInList(chunk) ?? new Error('A chunk is not a JSON object'));
    }
    const { choices } = chunk;
    if (isError || reportsError(chunk)) throw new UpstreamStreamError(errorIn(chunk));
    if (chunk['usage']) this.readUsage(chunk['usage']);
    if (chunk['x_groq']) this.readUsage((chunk['x_groq'] as Fields)['usage']);
    if (choices === undefined || choices === null) return undefined;
    if (!Array.isArray(choices)) throw new UpstreamStreamError(new Error('The choices of a chunk are not a list'));
    const choice: unknown = choices[0];
    if (!isPlainObject(choice)) return undefined;
    if (isSet(choice['error'])) throw new UpstreamStreamError(choice['error']);
    if (choice['usage']) this.readUsage(choice['usage']);
    const reason = choice['finish_reason'];
    if (typeof reason === 'string' && reason !== '' && reason !== 'null') this.finishReason = reason;
    return choice;
  }

  private readAnswer(answer: unknown, events: ModelEvent[]): void {
    if (!isPlainObject(answer)) return;
    const { content, refusal, tool_calls: calls, function_call: call } = answer;
    const { reasoning_content: thought, reasoning } = answer;
    if (typeof thought === 'string' && thought !== '') {
      events.push({ type: 'reasoning-delta', text: thought });
      this.reasoningContent += thought;
    } else if (typeof reasoning === 'string' && reasoning !== '') {
      events.push({ type: 'reasoning-delta', text: reasoning });
    }
    if (typeof content === 'string') {
      if (content !== '') events.push({ type: 'text-delta', text: content });
    } else if (Array.isArray(content)) readParts(content, events);
    if (typeof refusal === 'string' && refusal !== '') events.push({ type: 'refusal-delta', text: refusal });
    if (Array.isArray(calls)) for (const one of calls) this.calls.read(one, events);
    else if (call) this.calls.read({ function: call }, events);
  }

  /** Usage is cumulative where a provider sends it more than once. */
  private readUsage(raw: unknown): void {
    if (isPlainObject(raw)) this.usage = usageOf(raw);
  }
}

/**
 * True for a chunk that says that the call failed: in `error`, or, if it has no choices, in the members that
 * providers use instead.
 */
function reportsError(chunk: Fields): boolean {
  if (isSet(chunk['error']) || chunk['object'] === 'error') return true;
  if (chunk['choices'] || chunk['usage']) return false;
  const { base_resp: outcome, code, error_code: errorCode, detail, errors } = chunk;
  const values = [code, errorCode, detail, errors, isPlainObject(outcome) ? outcome['status_code'] : undefined];
  return values.some((value) => isSet(value) && !SUCCESS.test(String(value)));
}

/** The error that a chunk reports. */
function errorIn(chunk: Fields): unknown {
  return isSet(chunk['error']) ? chunk['error'] : chunk;
}

/** Gemini sends a list with an error in the place of an answer. Undefined for anything else. */
function errorInList(list: unknown): unknown {
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return isPlainObject(first) && reportsError(first) ? errorIn(first) : undefined;
}

/** False for the values with which providers say that there is no error. */
function isSet(value: unknown): boolean {
  if (!value) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** Mistral sends content as parts: text and thinking, which itself consists of parts. */
function readParts(parts: readonly unknown[], events: ModelEvent[]): void {
  for (const part of parts) {
    if (!isPlainObject(part)) continue;
    const { type, text, thinking, refusal } = part;
    if (type === 'text' && typeof text === 'string' && text !== '') events.push({ type: 'text-delta', text });
    else if (type === 'refusal' && typeof refusal === 'string') events.push({ type: 'refusal-delta', text: refusal });
    else if (type === 'thinking') {
      const thought = typeof thinking === 'string' ? thinking : textOf(thinking);
      if (thought !== '') events.push({ type: 'reasoning-delta', text: thought });
    }
  }
}

function textOf(parts: unknown): string {
  if (!Array.isArray(parts)) return '';
  return parts.map((part) => (isPlainObject(part) && typeof part['text'] === 'string' ? part['text'] : '')).join('');
}

/** Servers report cached tokens in three different places. */
function usageOf(raw: Fields): Usage {
  const total = number(raw['total_tokens']);
  const reasoning = detail(raw['completion_tokens_details'], 'reasoning_tokens');
  const cached =
    detail(raw['prompt_tokens_details'], 'cached_tokens') ??
    number(raw['cached_tokens']) ??
    number(raw['prompt_cache_hit_tokens']);
  return {
    input_tokens: number(raw['prompt_tokens']) ?? 0,
    output_tokens: number(raw['completion_tokens']) ?? 0,
    ...(total === undefined ? {} : { total_tokens: total }),
    ...(reasoning === undefined ? {} : { reasoning_tokens: reasoning }),
    ...(cached === undefined ? {} : { cached_tokens: cached }),
  };
}

function detail(details: unknown, key: string): number | undefined {
  return isPlainObject(details) ? number(details[key]) : undefined;
}

/** Undefined for what is no count of tokens: it counts as missing. */
function number(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** True for data that can only be a JSON object. */
function isJsonObject(data: string): boolean {
  return data.trimStart().startsWith('{');
}
