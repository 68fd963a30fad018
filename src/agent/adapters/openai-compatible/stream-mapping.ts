import type { LanguageModelV3FinishReason, LanguageModelV3StreamPart, LanguageModelV3Usage } from '@ai-sdk/provider';
import { isPlainObject } from '../../../common/index.js';
import type { Usage } from '../../../events/index.js';
import type { ModelEvent, ModelFinishReason } from '../../ports/model-client.js';
import { UpstreamStreamError } from './upstream-error.js';

/** Turns the SDK's parts of one model call into model events; holds the state of that one call. */
export class StreamMapper {
  private readonly wireIds = new Set<string>();
  private readonly indexes = new Map<string, number>();

  /**
   * The event of a part, or undefined when the part says nothing new.
   *
   * @throws UpstreamStreamError when the part is an error that the provider sent in its stream
   */
  map(part: LanguageModelV3StreamPart): ModelEvent | undefined {
    switch (part.type) {
      case 'raw':
        this.rememberIds(part.rawValue);
        return undefined;
      case 'text-delta':
        return part.delta ? { type: 'text-delta', text: part.delta } : undefined;
      case 'reasoning-delta':
        return part.delta ? { type: 'reasoning-delta', text: part.delta } : undefined;
      case 'tool-input-start':
        return this.startCall(part.id, part.toolName);
      case 'tool-input-delta':
        return part.delta
          ? { type: 'tool-call-delta', index: this.indexes.get(part.id) ?? 0, argumentsDelta: part.delta }
          : undefined;
      case 'error':
        throw new UpstreamStreamError(part.error);
      case 'finish':
        return {
          type: 'finish',
          reason: this.finishReason(part.finishReason.unified),
          usage: toUsage(part.usage),
        };
      default:
        return undefined;
    }
  }

  private startCall(id: string, name: string): ModelEvent {
    const index = this.indexes.size;
    this.indexes.set(id, index);
    return { type: 'tool-call-delta', index, ...(this.wireIds.has(id) ? { id } : {}), name, argumentsDelta: '' };
  }

  /** Several providers end a turn that calls tools with `stop`. */
  private finishReason(reason: LanguageModelV3FinishReason['unified']): ModelFinishReason {
    if (reason === 'error') return 'other';
    if (this.indexes.size > 0 && (reason === 'stop' || reason === 'other')) return 'tool-calls';
    return reason;
  }

  private rememberIds(chunk: unknown): void {
    for (const choice of listOf(chunk, 'choices')) {
      const delta = isPlainObject(choice) ? choice['delta'] : undefined;
      for (const call of listOf(delta, 'tool_calls')) {
        if (isPlainObject(call) && typeof call['id'] === 'string') this.wireIds.add(call['id']);
      }
    }
  }
}

function listOf(value: unknown, key: string): readonly unknown[] {
  const list = isPlainObject(value) ? value[key] : undefined;
  return Array.isArray(list) ? list : [];
}

function toUsage(usage: LanguageModelV3Usage): Usage | null {
  if (!usage.raw) return null;
  const total = usage.raw['total_tokens'];
  const reasoning = detail(usage.raw['completion_tokens_details'], 'reasoning_tokens');
  const cached = detail(usage.raw['prompt_tokens_details'], 'cached_tokens');
  return {
    input_tokens: usage.inputTokens.total ?? 0,
    output_tokens: usage.outputTokens.total ?? 0,
    ...(typeof total === 'number' ? { total_tokens: total } : {}),
    ...(reasoning === undefined ? {} : { reasoning_tokens: reasoning }),
    ...(cached === undefined ? {} : { cached_tokens: cached }),
  };
}

/** Absent stays absent: the SDK would say zero. */
function detail(details: unknown, key: string): number | undefined {
  const value = isPlainObject(details) ? details[key] : undefined;
  return typeof value === 'number' ? value : undefined;
}
