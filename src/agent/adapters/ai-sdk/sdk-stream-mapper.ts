import type {
  LanguageModelV3File,
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
  SharedV3ProviderMetadata,
  SharedV3Warning,
} from '@ai-sdk/provider';
import type { Usage } from '../../../events/index.js';
import type { ModelEvent, ModelFinishReason } from '../../ports/model-client.js';
import { type Ending, endingOf, faultOf } from '../chat-completions/finish-reason.js';
import { OpeningThoughts } from '../chat-completions/opening-thoughts.js';
import { EmptyAnswerError, UpstreamStreamError } from '../upstream/upstream-error.js';
import { SdkCalls } from './sdk-calls.js';
import { upstreamErrorOf } from './sdk-error.js';
import { type AnsweredPart, mergedMetadata, replayFor } from './sdk-replay.js';
import type { AnswerOrigin } from './sdk-rules.js';

type Finish = Extract<ModelEvent, { type: 'finish' }>;

/**
 * Turns the stream parts of one model call into model events; holds the state of that one call. The end is judged from
 * all signs (contract model-servers, section 2.2). Tools that the provider itself executes are left out.
 */
export class SdkStreamMapper {
  /** True once the provider said that its answer ended. */
  isFinished = false;
  /** The model that answers, as the provider names it; undefined until it has said so. */
  model: string | undefined;
  /** What the package has left out of the request: sentences for the log. */
  notes: readonly string[] = [];
  private hasEvents = false;
  private hasText = false;
  private readonly blocks = new Map<string, AnsweredPart>();
  private readonly parts: AnsweredPart[] = [];
  private readonly calls = new SdkCalls(this.parts);
  private readonly thoughts = new OpeningThoughts();
  /** The text that was written last. */
  private lastText: AnsweredPart | undefined;

  constructor(private readonly origin: AnswerOrigin) {}

  /**
   * Adds the events of a part.
   *
   * @throws UpstreamStreamError, UpstreamStatusError, AppError for an error in the stream, and for an end that is none
   */
  map(part: LanguageModelV3StreamPart, events: ModelEvent[]): void {
    const before = events.length;
    this.read(part, events);
    this.hasEvents ||= events.length > before && part.type !== 'source';
  }

  private read(part: LanguageModelV3StreamPart, events: ModelEvent[]): void {
    switch (part.type) {
      case 'stream-start':
        this.notes = part.warnings.flatMap(noteOf);
        return;
      case 'text-start':
      case 'reasoning-start':
      case 'text-end':
      case 'reasoning-end':
        this.block(part);
        return;
      case 'text-delta':
        this.addText(this.block(part), part.delta, events);
        return;
      case 'reasoning-delta':
        this.block(part).text += part.delta;
        if (part.delta !== '') events.push({ type: 'reasoning-delta', text: part.delta });
        return;
      case 'source':
        if (part.sourceType === 'url') events.push({ type: 'citation', url: part.url, title: part.title ?? part.url });
        return;
      case 'file':
        this.addFile(part, events);
        return;
      case 'tool-input-start':
        if (part.providerExecuted) return;
        this.interrupt(events);
        this.calls.begin(part.id, part.toolName, part.providerMetadata, events);
        return;
      case 'tool-input-delta':
        this.calls.addPiece(part.id, part.delta, events);
        return;
      case 'tool-input-end':
        this.calls.endInput(part.id);
        return;
      case 'tool-call':
        // The provider has done something, though nothing is shown of it.
        if (part.providerExecuted) this.hasEvents = true;
        this.interrupt(events);
        this.calls.end(part, events);
        return;
      case 'response-metadata':
        this.model = part.modelId || this.model;
        return;
      case 'error':
        throw part.error instanceof Error ? upstreamErrorOf(part.error) : new UpstreamStreamError(part.error);
      case 'finish':
        this.finish(part.finishReason, part.usage, events);
        return;
      default:
        return;
    }
  }

  /** The text or reasoning that a part belongs to. Metadata may come with its beginning, a piece, or its end. */
  private block(part: {
    readonly type: `${'text' | 'reasoning'}-${'start' | 'delta' | 'end'}`;
    readonly id: string;
    readonly providerMetadata?: SharedV3ProviderMetadata;
  }): AnsweredPart {
    const type = part.type.startsWith('text') ? 'text' : 'reasoning';
    const key = `${type} ${part.id}`;
    let block = this.blocks.get(key);
    if (!block) {
      block = { type, text: '', metadata: undefined };
      this.blocks.set(key, block);
      this.parts.push(block);
    }
    block.metadata = mergedMetadata(block.metadata, part.providerMetadata);
    // The next block may have the same id.
    if (part.type.endsWith('-end')) this.blocks.delete(key);
    return block;
  }

  /** Thoughts between tags are no text; what may still become a tag waits. */
  private addText(block: AnsweredPart, delta: string, events: ModelEvent[]): void {
    if (delta === '') return;
    this.lastText = block;
    const before = events.length;
    this.thoughts.read(delta, events);
    this.keepText(block, events, before);
  }

  /** A call follows: blanks that waited for a tag are nothing. */
  private interrupt(events: ModelEvent[]): void {
    const before = events.length;
    this.thoughts.interrupt(events);
    this.keepText(this.lastText, events, before);
  }

  /** What is shown of a text is what goes back. */
  private keepText(block: AnsweredPart | undefined, events: readonly ModelEvent[], from: number): void {
    for (let at = from; at < events.length; at += 1) {
      const event = events[at];
      if (event?.type !== 'text-delta') continue;
      this.hasText = true;
      if (block) block.text += event.text;
    }
  }

  /** An image is shown. There is no event for another file: a sentence mentions it. */
  private addFile({ mediaType, data }: LanguageModelV3File, events: ModelEvent[]): void {
    if (mediaType.startsWith('image/')) {
      this.interrupt(events);
      const base64 = typeof data === 'string' ? data : Buffer.from(data).toString('base64');
      events.push({ type: 'image', url: `data:${mediaType};base64,${base64}` });
      return;
    }
    const block: AnsweredPart = { type: 'text', text: '', metadata: undefined };
    this.parts.push(block);
    const blank = this.hasText ? '\n\n' : '';
    this.addText(
      block,
      `${blank}[The model made a file of the type ${mediaType}, which cannot be shown here.]`,
      events,
    );
  }

  /** @throws UpstreamStreamError if the answer has not ended, has ended by a fault, or is empty */
  private finish(
    { unified, raw }: LanguageModelV3FinishReason,
    usage: LanguageModelV3Usage,
    events: ModelEvent[],
  ): void {
    const ending = endOf(unified, raw);
    if (ending === 'fault') throw faultOf(raw ?? 'error');
    const before = events.length;
    this.thoughts.end(events, ending === 'length');
    this.keepText(this.lastText, events, before);
    const isEmpty = !this.hasEvents && events.length === before && this.calls.count === 0;
    if (ending === undefined) this.checkEnd(isEmpty);
    const finish = this.finishEvent(ending ?? 'stop', usage);
    if (isEmpty && finish.reason !== 'length' && finish.reason !== 'content-filter') throw new EmptyAnswerError(finish);
    this.isFinished = true;
    events.push(finish);
  }

  /** Without a reason an answer is complete if it has text or whole calls. */
  private checkEnd(isEmpty: boolean): void {
    if (isEmpty) throw new EmptyAnswerError();
    if (this.calls.count > 0 ? this.calls.areWhole : this.hasText) return;
    const cause = new Error('The stream ended without a finish reason');
    throw new UpstreamStreamError(cause, 'The answer of the model ended too early');
  }

  /** Several providers end an answer that calls tools with `stop`, and one that calls none with the reason for calls. */
  private finishEvent(ending: ModelFinishReason, usage: LanguageModelV3Usage): Finish {
    const { count } = this.calls;
    let reason = ending;
    if (count > 0 && (ending === 'stop' || ending === 'other')) reason = 'tool-calls';
    else if (count === 0 && ending === 'tool-calls') reason = 'stop';
    const replay = replayFor(this.origin, this.parts);
    return { type: 'finish', reason, usage: usageOf(usage), ...(replay && { replay }) };
  }
}

/** Nothing of a conversation is in these warnings. */
function noteOf(warning: SharedV3Warning): string[] {
  if (warning.type !== 'unsupported') return [];
  const { feature, details } = warning;
  return [`The package of the provider leaves out ${feature}${details === undefined ? '' : `: ${details}`}.`];
}

/** Packages know fewer reasons than their providers have. Undefined if the stream has ended without one. */
function endOf(unified: LanguageModelV3FinishReason['unified'], raw: string | undefined): Ending | undefined {
  if (unified === 'error') return 'fault';
  if (unified !== 'other') return unified;
  return raw === undefined || raw === '' ? undefined : endingOf(raw);
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV3Usage): Usage | null {
  const { total: input, cacheRead } = inputTokens;
  const { total: output, reasoning } = outputTokens;
  if (input === undefined && output === undefined) return null;
  return {
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    total_tokens: (input ?? 0) + (output ?? 0),
    ...(reasoning !== undefined && { reasoning_tokens: reasoning }),
    ...(cacheRead !== undefined && { cached_tokens: cacheRead }),
  };
}
