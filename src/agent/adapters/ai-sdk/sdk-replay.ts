import type { LanguageModelV3Message, LanguageModelV3ToolCallPart, SharedV3ProviderMetadata } from '@ai-sdk/provider';
import { isPlainObject, type JsonObject } from '../../../common/index.js';
import type { ModelMessage } from '../../ports/model-client.js';

type AssistantContent = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'];

/** The key of this client in the `replay` of an answer. */
const REPLAY_KEY = 'ai_sdk';

/** A part of an answer with what its provider attached to it, such as the signature of its reasoning. */
export interface AnsweredPart {
  readonly type: 'text' | 'reasoning' | 'tool-call';
  /** Of text and reasoning. */
  text: string;
  /** What the provider wants back with the part, for example a signature. */
  metadata: SharedV3ProviderMetadata | undefined;
}

/** The replay of an answer that called tools; undefined if the provider attached nothing to it. */
export function replayFor(provider: string, parts: readonly AnsweredPart[]): JsonObject | undefined {
  const calls = parts.some(({ type }) => type === 'tool-call');
  if (!calls || parts.every(({ metadata }) => metadata === undefined)) return undefined;
  return {
    [REPLAY_KEY]: {
      provider,
      parts: parts.map(({ type, text, metadata }): JsonObject => ({
        type,
        ...(type === 'tool-call' ? {} : { text }),
        // Providers read it from JSON text.
        ...(metadata && { metadata: metadata as JsonObject }),
      })),
    },
  };
}

/**
 * The parts of an earlier answer in their order, with what the provider attached to them. Undefined when
 * there is nothing to replay: the answer is another provider's, or its calls are not those of the message.
 */
export function replayedParts(
  { replay }: Extract<ModelMessage, { role: 'assistant' }>,
  provider: string,
  calls: readonly LanguageModelV3ToolCallPart[],
): AssistantContent | undefined {
  const kept = replay?.[REPLAY_KEY];
  if (!isPlainObject(kept) || kept['provider'] !== provider || !Array.isArray(kept['parts'])) return undefined;
  const content: AssistantContent = [];
  let place = 0;
  for (const part of kept['parts'] as unknown[]) {
    if (!isPlainObject(part)) return undefined;
    const { type, text, metadata } = part;
    const extra = isPlainObject(metadata) ? { providerOptions: metadata as SharedV3ProviderMetadata } : {};
    if (type === 'tool-call') {
      const call = calls[place];
      if (!call) return undefined;
      content.push(Object.assign({}, call, extra));
      place += 1;
    } else if ((type === 'text' || type === 'reasoning') && typeof text === 'string') {
      // Providers refuse an empty text; empty reasoning may be an encrypted one.
      if (type === 'reasoning' || text !== '') content.push({ type, text, ...extra });
    }
  }
  return place === calls.length ? content : undefined;
}
