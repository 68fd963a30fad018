import type {
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolCall,
  LanguageModelV3Usage,
  SharedV3ProviderMetadata,
} from '@ai-sdk/provider';
import type { Usage } from '../../../events/index.js';
import type { ModelEvent, ModelFinishReason } from '../../ports/model-client.js';
import { UpstreamStreamError } from '../upstream/upstream-error.js';
import { upstreamErrorOf } from './sdk-error.js';
import { type AnsweredPart, type AnswerOrigin, replayFor } from './sdk-replay.js';

/** A call whose last part has not come. */
interface OpenCall {
  readonly index: number;
  readonly id: string;
  readonly part: AnsweredPart;
  /** What has been streamed of its input. */
  input: string;
  /** True once its input was streamed to the end. */
  hasWholeInput: boolean;
}

/**
 * Turns the stream parts of one model call into model events; holds the state of that one call. Tools that
 * the provider itself executes, sources and generated files are left out.
 */
export class SdkStreamMapper {
  /** True once the provider said that its answer ended. */
  isFinished = false;
  private callCount = 0;
  /** In the order of their beginnings. Several can have one id: some servers repeat ids, or leave them blank. */
  private readonly openCalls: OpenCall[] = [];
  /** The input of the newest whole call with an id. */
  private readonly wholeCalls = new Map<string, string>();
  private readonly blocks = new Map<string, AnsweredPart>();
  private readonly parts: AnsweredPart[] = [];

  constructor(private readonly origin: AnswerOrigin) {}

  /**
   * Adds the events of a part.
   *
   * @throws UpstreamStreamError, UpstreamStatusError, AppError for an error in the stream
   */
  map(part: LanguageModelV3StreamPart, events: ModelEvent[]): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
      case 'text-end':
      case 'reasoning-end':
        this.block(part);
        return;
      case 'text-delta':
        this.block(part).text += part.delta;
        if (part.delta !== '') events.push({ type: 'text-delta', text: part.delta });
        return;
      case 'reasoning-delta':
        this.block(part).text += part.delta;
        if (part.delta !== '') events.push({ type: 'reasoning-delta', text: part.delta });
        return;
      case 'tool-input-start':
        if (!part.providerExecuted) this.begin(part.id, part.toolName, part.providerMetadata, events);
        return;
      case 'tool-input-delta':
        this.addInput(this.streamedCall(part.id), part.delta, events);
        return;
      case 'tool-input-end':
        this.endInput(part.id);
        return;
      case 'tool-call':
        this.endCall(part, events);
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
    block.metadata = merged(block.metadata, part.providerMetadata);
    // The next block may have the same id.
    if (part.type.endsWith('-end')) this.blocks.delete(key);
    return block;
  }

  private begin(
    id: string,
    name: string,
    metadata: SharedV3ProviderMetadata | undefined,
    events: ModelEvent[],
  ): OpenCall {
    const part: AnsweredPart = { type: 'tool-call', text: '', metadata };
    const call: OpenCall = { index: this.callCount, id, part, input: '', hasWholeInput: false };
    this.callCount += 1;
    this.openCalls.push(call);
    this.parts.push(part);
    events.push({ type: 'tool-call-delta', index: call.index, id, name, argumentsDelta: '' });
    return call;
  }

  /** The newest call with this id whose input is being streamed. */
  private streamedCall(id: string): OpenCall | undefined {
    return this.openCalls.findLast((call) => call.id === id && !call.hasWholeInput);
  }

  private addInput(call: OpenCall | undefined, text: string, events: ModelEvent[]): void {
    if (!call || text === '') return;
    call.input += text;
    events.push({ type: 'tool-call-delta', index: call.index, argumentsDelta: text });
  }

  private endInput(id: string): void {
    const call = this.streamedCall(id);
    if (call) call.hasWholeInput = true;
  }

  /** The whole call. Its input is new as far as it was not streamed. */
  private endCall(part: LanguageModelV3ToolCall, events: ModelEvent[]): void {
    if (part.providerExecuted || this.isRepeated(part)) return;
    const call = this.openCall(part) ?? this.begin(part.toolCallId, part.toolName, undefined, events);
    call.part.metadata = merged(call.part.metadata, part.providerMetadata);
    if (part.input.startsWith(call.input)) this.addInput(call, part.input.slice(call.input.length), events);
    this.openCalls.splice(this.openCalls.indexOf(call), 1);
    this.wholeCalls.set(part.toolCallId, part.input);
  }

  /** True for a call that has come before, with the same id and input. */
  private isRepeated({ toolCallId: id, input }: LanguageModelV3ToolCall): boolean {
    return id !== '' && this.wholeCalls.get(id) === input && !this.openCalls.some((call) => call.id === id);
  }

  /** Of several open calls with the id of a whole call, the one with its input; otherwise the first. */
  private openCall({ toolCallId, input }: LanguageModelV3ToolCall): OpenCall | undefined {
    const calls = this.openCalls.filter(({ id }) => id === toolCallId);
    return calls.find((call) => call.input === input) ?? calls[0];
  }

  private finish(reason: LanguageModelV3FinishReason, usage: LanguageModelV3Usage, events: ModelEvent[]): void {
    if (reason.unified === 'error') throw new UpstreamStreamError(new Error(`The answer ended with ${reason.raw}`));
    this.isFinished = true;
    const replay = replayFor(this.origin, this.parts);
    events.push({
      type: 'finish',
      reason: this.finishReason(reason.unified),
      usage: usageOf(usage),
      ...(replay && { replay }),
    });
  }

  /** Several providers end an answer that calls tools with `stop`. */
  private finishReason(reason: Exclude<LanguageModelV3FinishReason['unified'], 'error'>): ModelFinishReason {
    return this.callCount > 0 && (reason === 'stop' || reason === 'other') ? 'tool-calls' : reason;
  }
}

function merged(
  before: SharedV3ProviderMetadata | undefined,
  more: SharedV3ProviderMetadata | undefined,
): SharedV3ProviderMetadata | undefined {
  if (!before || !more) return more ?? before;
  const all = { ...before };
  for (const [provider, metadata] of Object.entries(more)) {
    all[provider] = Object.assign({}, all[provider], metadata);
  }
  return all;
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV3Usage): Usage | null {
  const { total: input, cacheRead } = inputTokens;
  const { total: output, reasoning } = outputTokens;
  if (input === undefined && output === undefined) return null;
  return {
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    total_tokens: (input ?? 0) + (output ?? 0),
    ...(reasoning === undefined ? {} : { reasoning_tokens: reasoning }),
    ...(cacheRead === undefined ? {} : { cached_tokens: cacheRead }),
  };
}
