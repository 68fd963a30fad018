import type { LanguageModelV3Message, LanguageModelV3ToolCallPart, SharedV3ProviderMetadata } from '@ai-sdk/provider';
import { isPlainObject, type Json, type JsonObject } from '../../../common/index.js';
import type { ModelMessage } from '../../ports/model-client.js';
import { type AnswerOrigin, providerRule } from './sdk-rules.js';

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

/** The replay of an answer; undefined if the provider attached nothing to it and wants none of its thoughts back. */
export function replayFor(origin: AnswerOrigin, parts: readonly AnsweredPart[]): JsonObject | undefined {
  const { plainThoughts = false } = providerRule(origin);
  const isKept = ({ type, text, metadata }: AnsweredPart): boolean =>
    metadata !== undefined || (plainThoughts && type === 'reasoning' && text !== '');
  if (!parts.some(isKept)) return undefined;
  return {
    [REPLAY_KEY]: {
      provider: origin.provider,
      family: familyOf(origin.modelId),
      parts: parts.map(({ type, text, metadata }): JsonObject => ({
        type,
        ...(type !== 'tool-call' && { text }),
        // Providers read it from JSON text.
        ...(metadata && { metadata: metadata as JsonObject }),
      })),
    },
  };
}

/**
 * The parts of an earlier answer in their order, with what the provider attached to them. Undefined when
 * there is nothing to replay: the answer is another provider's or another family's, or its calls are not those of the
 * message. A text that the message does not have any more is replaced by that of the message.
 */
export function replayedParts(
  { replay, content: words }: Extract<ModelMessage, { role: 'assistant' }>,
  origin: AnswerOrigin,
  calls: readonly LanguageModelV3ToolCallPart[],
): AssistantContent | undefined {
  const kept = replay?.[REPLAY_KEY];
  if (!isPlainObject(kept) || !isOf(origin, kept) || !Array.isArray(kept['parts'])) return undefined;
  const parts = (kept['parts'] as unknown[]).filter(isPlainObject);
  const texts = parts.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  const isSame = squeezed(texts.join('')) === squeezed(words);
  const content: AssistantContent = isSame || words === '' ? [] : [{ type: 'text', text: words }];
  let place = 0;
  for (const { type, text, metadata } of parts) {
    const extra = isPlainObject(metadata) ? { providerOptions: metadata as SharedV3ProviderMetadata } : {};
    if (type === 'tool-call') {
      const call = calls[place];
      if (!call) return undefined;
      content.push(Object.assign({}, call, extra));
      place += 1;
    } else if (type === 'reasoning' && typeof text === 'string') content.push({ type, text, ...extra });
    // Providers refuse a blank text; empty reasoning may be an encrypted one.
    else if (type === 'text' && typeof text === 'string' && isSame && text.trim() !== '')
      content.push({ type, text, ...extra });
  }
  if (place !== calls.length) return undefined;
  return isSame ? content : thoughtsFirst(content);
}

/** Signed thinking is refused anywhere else. */
function thoughtsFirst(content: AssistantContent): AssistantContent {
  const isThought = ({ type }: AssistantContent[number]): boolean => type === 'reasoning';
  return [...content.filter(isThought), ...content.filter((part) => !isThought(part))];
}

/** Answers of earlier versions name no family. */
function isOf({ provider, modelId }: AnswerOrigin, kept: Readonly<Record<string, unknown>>): boolean {
  const family = kept['family'] as Json | undefined;
  return kept['provider'] === provider && (family === undefined || family === familyOf(modelId));
}

const FAMILY = /claude|gemini|gemma|gpt-oss|gpt-\d|\bo\d|nova|magistral|mistral|grok|deepseek|qwen|llama|kimi/;

/** The family of a model: several providers serve models of many. */
function familyOf(modelId: string): string {
  const name = modelId.toLowerCase();
  return FAMILY.exec(name)?.[0] ?? name;
}

/** Texts of one answer are joined in several ways, and halves of characters are replaced. */
function squeezed(text: string): string {
  return text.toWellFormed().replace(/\s+/g, '');
}

/** Two pieces of what a provider attached to a part. */
export function mergedMetadata(
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
