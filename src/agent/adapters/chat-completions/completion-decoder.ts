import { isPlainObject, type JsonObject } from '../../../common/index.js';
import type { Usage } from '../../../events/index.js';
import type { ModelEvent } from '../../ports/model-client.js';
import { EmptyAnswerError, UpstreamStreamError } from '../upstream/upstream-error.js';
import { annotatedSources, imageUrlOf, isImagePart, listedSources } from './answer-extras.js';
import { errorOfChunk, errorOfList } from './chunk-error.js';
import { type Ending, endingOf, faultOf } from './finish-reason.js';
import { type OpeningMemory, OpeningThoughts } from './opening-thoughts.js';
import type { SseSplitter } from './sse-splitter.js';
import { StateCollector, thoughtIn } from './state-collector.js';
import { TextTemplate } from './text-template.js';
import { usageOf } from './token-usage.js';
import { exactArguments } from './tool-call-delta.js';
import { ToolCallDecoder } from './tool-call-decoder.js';

type Fields = Readonly<Record<string, unknown>>;
type FinishEvent = Extract<ModelEvent, { type: 'finish' }>;

/** What the decoder must know of the request. */
export interface DecoderSetting {
  /** The host of the base URL: the state of the answer belongs to it. */
  readonly origin: string;
  /** The names of the tools that were offered. */
  readonly toolNames?: readonly string[];
  /** The ids of the calls in the request. */
  readonly usedCallIds?: ReadonlySet<string>;
  /** For a server whose answers may begin with thoughts without their opening tag. */
  readonly opening?: OpeningMemory | undefined;
}

/** The types of content parts with text for the user. */
const TEXT_PARTS: ReadonlySet<unknown> = new Set(['text', 'output_text']);

/**
 * Turns the chunks of one chat completion into model events; holds the state of that one completion.
 * Accepts the dialects of the servers (contract model-servers, sections 2.1 and 2.2): docs/models.md lists them.
 */
export class CompletionDecoder {
  /** True for a chunk that consists of this text only. */
  private static isPieceOfText(this: void, data: string, text: string): boolean {
    const events: ModelEvent[] = [];
    const decoder = new CompletionDecoder();
    decoder.read(data, '', events);
    const [event] = events;
    if (events.length !== 1 || event?.type !== 'text-delta' || event.text !== text) return false;
    if (decoder.calls.hasDeltas || decoder.collected) return false;
    return decoder.ending === undefined && decoder.usage === null;
  }

  /** How many chunks were decoded. */
  chunks = 0;
  /** The model that answers, as the server names it; undefined until it has said so. */
  model: string | undefined;
  private readonly calls: ToolCallDecoder;
  private readonly thoughts: OpeningThoughts;
  /** Made when there is something to keep: most answers have nothing. */
  private collected: StateCollector | undefined;
  private readonly template = new TextTemplate();
  private readonly origin: string;
  private ending: Ending | undefined;
  private finishReason = '';
  private usage: Usage | null = null;
  /** The chunk that is decoded, and its text. */
  private data = '';
  private piece = '';
  /** True once there was a chunk with a delta. */
  private hasDelta = false;
  private hasEvents = false;
  private hasRefusal = false;
  private hasImages = false;
  /** Images and sources that were passed on: servers repeat them. Made with the first one. */
  private told: Set<string> | undefined;

  constructor({ origin, toolNames, usedCallIds, opening }: DecoderSetting = { origin: '' }) {
    this.origin = origin;
    this.calls = new ToolCallDecoder(toolNames, usedCallIds);
    this.thoughts = new OpeningThoughts(opening);
  }

  /**
   * Decodes one chunk of a stream and adds its events. After the finish reason, what is not a whole chunk is skipped.
   *
   * @param eventName the `event` field of the server-sent event
   * @throws UpstreamStreamError when it is an error of the server, or no chunk
   */
  decode(data: string, eventName: string, events: ModelEvent[]): void {
    this.chunks += 1;
    this.piece = '';
    const before = events.length;
    this.read(data, eventName, events);
    this.hasEvents ||= events.slice(before).some(isOfAnswer);
    if (this.piece !== '') this.template.learn(data, this.piece, CompletionDecoder.isPieceOfText);
  }

  /** Decodes the next chunks of a stream as long as they differ from one before in their text only. @returns whether there was one */
  decodeAlike(stream: SseSplitter, most: number, events: ModelEvent[]): boolean {
    const texts = stream.nextAlike(this.template, most);
    if (texts.length === 0) return false;
    if (this.thoughts.isText) for (const text of texts) events.push({ type: 'text-delta', text });
    else for (const text of texts) this.thoughts.read(text, events);
    this.hasEvents ||= events.length > 0;
    this.chunks += texts.length;
    return true;
  }

  /** Decodes the JSON answer of a server that does not stream. @throws as `decode` */
  decodeWhole(data: string, events: ModelEvent[]): void {
    this.data = data;
    const chunk = this.parsed(data);
    const choice = this.choiceOf(chunk, false);
    if (choice) this.readAnswer(choice['message'] ?? choice['delta'] ?? contentOf(choice), true, events);
    this.readSources(chunk as Fields, events);
    this.hasEvents = events.some(isOfAnswer);
  }

  /** True once a finish reason was decoded: only usage can follow. */
  get isFinished(): boolean {
    return this.ending !== undefined;
  }

  /**
   * Adds the last events, when the stream has ended.
   *
   * @param isMarked true if `[DONE]` says that the answer is complete
   * @throws UpstreamStreamError when the answer has not ended, has ended by a fault, or is empty
   */
  end(events: ModelEvent[], isMarked = false): void {
    const { ending, calls } = this;
    if (ending === 'fault') throw faultOf(this.finishReason);
    this.thoughts.end(events, ending === 'length');
    const isEmpty = !this.hasEvents && !events.some(isOfAnswer) && calls.count === 0;
    if (ending === undefined && isEmpty) throw new EmptyAnswerError();
    if (ending === undefined && !isMarked && !this.isWhole) throw endedTooEarly();
    calls.end(events, ending === 'length' || ending === 'content-filter');
    const finish = this.finish(ending);
    if (isEmpty && finish.reason !== 'length' && finish.reason !== 'content-filter') throw new EmptyAnswerError(finish);
    events.push(finish);
  }

  /** True if an answer without a finish reason can be complete: it has text or calls, and all its calls are whole. */
  private get isWhole(): boolean {
    return this.calls.count > 0 ? this.calls.isWhole : this.thoughts.hasText || this.hasRefusal || this.hasImages;
  }

  /** The last event. Several servers end an answer that calls tools with `stop`, and one that calls none with `tool_calls`. */
  private finish(ending: Exclude<Ending, 'fault'> = 'stop'): FinishEvent {
    const { count } = this.calls;
    let reason = ending;
    if (count > 0 && (ending === 'stop' || ending === 'other')) reason = 'tool-calls';
    else if (count === 0 && ending === 'tool-calls') reason = 'stop';
    const replay = this.replay();
    return { type: 'finish', reason, usage: this.usage, ...(replay && { replay }) };
  }

  /** What the server may want back with this answer; undefined if nothing. */
  private replay(): JsonObject | undefined {
    const { thoughts, block } = this.thoughts;
    const isTagged = thoughts !== '' && this.state.isWithoutThoughts;
    if (isTagged) this.state.think('tags', thoughts);
    return this.state.replay(this.origin, this.calls.kept, isTagged ? block : '');
  }

  private get state(): StateCollector {
    return (this.collected ??= new StateCollector());
  }

  private read(data: string, eventName: string, events: ModelEvent[]): void {
    if (this.isFinished && !isJsonObject(data)) return;
    this.data = data;
    const isError = eventName === 'error';
    const chunk = isError && !isJsonObject(data) ? { error: data } : this.parsed(data);
    const choice = chunk === undefined ? undefined : this.choiceOf(chunk, isError);
    if (chunk !== undefined) this.readSources(chunk as Fields, events);
    if (!choice) return;
    const { delta, message } = choice;
    if (delta !== undefined && delta !== null) {
      this.hasDelta = true;
      this.readAnswer(delta, false, events);
      // Perplexity repeats in `message` what the deltas have brought.
    } else if (!this.hasDelta) this.readAnswer(message ?? contentOf(choice), false, events);
  }

  /** The value of a chunk; undefined for invalid JSON after the finish reason. @throws UpstreamStreamError before it */
  private parsed(data: string): unknown {
    try {
      return JSON.parse(data);
    } catch (error) {
      if (this.isFinished) return undefined;
      throw notAnAnswer(error);
    }
  }

  /** The first choice of a chunk; its usage and finish reason are kept. */
  private choiceOf(chunk: unknown, isError: boolean): Fields | undefined {
    if (!isPlainObject(chunk)) {
      const error = errorOfList(chunk);
      throw error === undefined
        ? notAnAnswer(new Error('A chunk is not a JSON object'))
        : new UpstreamStreamError(error);
    }
    const error = errorOfChunk(chunk) ?? (isError ? chunk : undefined);
    if (error !== undefined) throw new UpstreamStreamError(error);
    const { choices, usage, model, x_groq: groq } = chunk;
    if (typeof model === 'string' && model !== '') this.model = model;
    if (usage) this.readUsage(usage);
    if (groq !== undefined && isPlainObject(groq)) this.readUsage(groq['usage']);
    if (choices === undefined || choices === null) return undefined;
    if (!Array.isArray(choices)) throw notAnAnswer(new Error('The choices of a chunk are not a list'));
    const choice: unknown = choices[0];
    if (!isPlainObject(choice)) return undefined;
    if (choice['usage']) this.readUsage(choice['usage']);
    const reason = choice['finish_reason'];
    if (typeof reason === 'string' && reason !== '' && reason !== 'null') {
      this.finishReason = reason;
      this.ending = endingOf(reason);
    }
    return choice;
  }

  /** @param isWhole false for a piece of the answer */
  private readAnswer(answer: unknown, isWhole: boolean, events: ModelEvent[]): void {
    if (!isPlainObject(answer)) return;
    const { content, refusal, tool_calls: calls, function_call: call, extra_content: extra } = answer;
    const { images, annotations } = answer;
    this.readThoughts(answer, isWhole, events);
    if (typeof content === 'string') {
      if (content !== '') this.thoughts.read((this.piece = content), events);
    } else if (content) this.readParts(Array.isArray(content) ? content : [content], isWhole, events);
    if (typeof refusal === 'string' && refusal !== '') this.refuse(refusal, events);
    if (Array.isArray(images)) for (const image of images) this.show(imageUrlOf(image), events);
    if (annotations) for (const source of annotatedSources(annotations)) this.cite(source, events);
    if (Array.isArray(calls)) this.readCalls(calls, events);
    else if (call) this.readCalls([{ function: call }], events);
    if (extra !== undefined && isPlainObject(extra)) this.state.addExtra(extra as JsonObject);
  }

  private refuse(text: string, events: ModelEvent[]): void {
    this.hasRefusal = true;
    events.push({ type: 'refusal-delta', text });
  }

  /** The sources of a chunk. */
  private readSources(chunk: Fields, events: ModelEvent[]): void {
    if (!chunk['citations'] && !chunk['search_results']) return;
    for (const source of listedSources(chunk)) this.cite(source, events);
  }

  private cite(source: ModelEvent, events: ModelEvent[]): void {
    if (this.isNew(JSON.stringify(source))) events.push(source);
  }

  private show(url: string | undefined, events: ModelEvent[]): void {
    if (url === undefined || !this.isNew(url)) return;
    this.thoughts.interrupt(events);
    this.hasImages = true;
    events.push({ type: 'image', url });
  }

  private isNew(key: string): boolean {
    const told = (this.told ??= new Set());
    if (told.has(key)) return false;
    told.add(key);
    return true;
  }

  private readCalls(calls: readonly unknown[], events: ModelEvent[]): void {
    if (calls.length === 0) return;
    this.thoughts.interrupt(events);
    const exact = exactArguments(calls, this.data);
    for (const [at, call] of calls.entries()) this.calls.read(call, events, exact[at]);
  }

  /** Thoughts in fields of their own. Servers that have two names for them send the same text under both. */
  private readThoughts(answer: Fields, isWhole: boolean, events: ModelEvent[]): void {
    const { reasoning_content: content, reasoning, reasoning_text: text } = answer;
    const { reasoning_details: details, thinking_blocks: blocks } = answer;
    let first = '';
    if (content || reasoning || text) {
      first = this.readThought('reasoning_content', content, first, events);
      first = this.readThought('reasoning', reasoning, first, events);
      first = this.readThought('reasoning_text', text, first, events);
    }
    if (details) first = this.readBlocks(this.state.addDetails(details, isWhole), first, events);
    if (blocks) this.readBlocks(this.state.addBlocks(blocks, isWhole), first, events);
  }

  /** @param first the thought of the same delta that was read before; empty if none @returns the first one */
  private readThought(field: string, text: unknown, first: string, events: ModelEvent[]): string {
    if (typeof text !== 'string' || text === '' || text === first) return first;
    if (first === '') this.state.think(field, text);
    this.thoughts.areTold();
    events.push({ type: 'reasoning-delta', text });
    return first || text;
  }

  /** The text of items that servers send next to a field with the same text, or alone. */
  private readBlocks(text: string, first: string, events: ModelEvent[]): string {
    if (first !== '' || text === '' || text === this.state.text) return first;
    events.push({ type: 'reasoning-delta', text });
    return text;
  }

  /** Mistral and Databricks send content as parts: text and thoughts, which themselves may consist of parts. */
  private readParts(parts: readonly unknown[], isWhole: boolean, events: ModelEvent[]): void {
    for (const part of parts) {
      if (!isPlainObject(part)) continue;
      const { type, text, refusal } = part;
      if (TEXT_PARTS.has(type)) {
        if (typeof text === 'string' && text !== '') this.thoughts.read(text, events);
      } else if (type === 'refusal') {
        if (typeof refusal === 'string' && refusal !== '') this.refuse(refusal, events);
      } else if (isImagePart(part)) {
        this.show(imageUrlOf(part), events);
      } else if (typeof type === 'string' && /think|reason/.test(type)) {
        const thought = thoughtIn(part);
        this.state.addPart(part as JsonObject, thought, isWhole);
        if (thought !== '') events.push({ type: 'reasoning-delta', text: thought });
      }
    }
  }

  /** Usage is cumulative where a server sends it more than once. */
  private readUsage(raw: unknown): void {
    this.usage = usageOf(raw) ?? this.usage;
  }
}

/** The answer of servers that write a choice as the older API for completions has it. */
function contentOf({ text }: Fields): Fields | undefined {
  return typeof text === 'string' ? { content: text } : undefined;
}

/** Sources alone are no answer. */
function isOfAnswer({ type }: ModelEvent): boolean {
  return type !== 'citation';
}

function isJsonObject(data: string): boolean {
  return data.trimStart().startsWith('{');
}

function notAnAnswer(cause: unknown): UpstreamStreamError {
  return new UpstreamStreamError(cause, 'The model server sent an answer that is not a chat completion');
}

function endedTooEarly(): UpstreamStreamError {
  const cause = new Error('The stream ended without a finish reason');
  return new UpstreamStreamError(cause, 'The answer of the model ended too early');
}
