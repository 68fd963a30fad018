import type { LanguageModelV3FunctionTool, SharedV3ProviderOptions } from '@ai-sdk/provider';
import { fingerprint } from '../../../common/index.js';
import type { ModelMessage } from '../../ports/model-client.js';
import { validHistory } from '../../prompt/valid-history.js';
import type { AnswerOrigin } from './sdk-replay.js';

/** What the API of a provider demands beyond what its package sees to (contract model-servers, section 5). */
interface ProviderRule {
  /** Ids of calls that it takes; others are replaced by a digest. */
  readonly callId: RegExp;
  /** The form of other ids. */
  readonly digest: (hex: string) => string;
  /** True if a history with calls is refused without tools. */
  readonly toolsForCalls?: boolean;
  /** False if no message of a user may follow results. Default true. */
  readonly userAfterResults?: boolean;
}

const NAMED = (hex: string): string => `call_${hex.slice(0, 32)}`;
const CLAUDE: ProviderRule = { callId: /^[a-zA-Z0-9_-]{1,64}$/, digest: NAMED, toolsForCalls: true };
const OPENAI: ProviderRule = { callId: /^[^]{1,64}$/, digest: NAMED };
const MISTRAL: ProviderRule = {
  callId: /^[a-zA-Z0-9]{9}$/,
  digest: (hex) => hex.slice(0, 9),
  userAfterResults: false,
};
const ANY: ProviderRule = { callId: /^/, digest: NAMED };

/** By the first part of the provider's name. */
const RULES: ReadonlyMap<string, ProviderRule> = new Map([
  ['anthropic', CLAUDE],
  ['amazon-bedrock', CLAUDE],
  ['bedrock', CLAUDE],
  ['vertex', ANY],
  ['openai', OPENAI],
  ['azure', OPENAI],
  ['mistral', MISTRAL],
]);

/** The name under which a provider finds its options: the first part of its own, such as `openai` of `openai.responses`. */
export function optionsName(provider: string): string {
  return provider.split('.')[0] ?? provider;
}

function ruleOf({ provider, modelId }: AnswerOrigin): ProviderRule {
  if (provider.includes('anthropic') || (provider.includes('vertex') && modelId.includes('claude'))) return CLAUDE;
  return RULES.get(optionsName(provider)) ?? ANY;
}

/** The id of a call as the provider takes it: always the same for the same id. */
export function callIdFor(origin: AnswerOrigin, id: string): string {
  const { callId, digest } = ruleOf(origin);
  return callId.test(id) ? id : digest(fingerprint(id));
}

/** The conversation with an answer between results and images, where the provider needs one. */
export function orderedFor(origin: AnswerOrigin, messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const { userAfterResults = true } = ruleOf(origin);
  return userAfterResults ? messages : validHistory(messages, { imagesAfterResults: false });
}

/** The tools of the history's calls, for a provider that refuses calls without tools. */
export function toolsOfHistory(
  origin: AnswerOrigin,
  messages: readonly ModelMessage[],
): LanguageModelV3FunctionTool[] | undefined {
  if (ruleOf(origin).toolsForCalls !== true) return undefined;
  const names = new Set(
    messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls.map(({ name }) => name) : [])),
  );
  if (names.size === 0) return undefined;
  return [...names].map((name) => ({
    type: 'function',
    name,
    description: 'Not available any more.',
    inputSchema: { type: 'object', properties: {} },
  }));
}

/** Models of OpenAI that do not reason: they refuse to be asked for encrypted reasoning. */
const NO_REASONING = /^(chatgpt-|gpt-(3|4))/;

/**
 * The options with which a provider returns all that it wants back, instead of keeping it: OpenAI's Responses API, and
 * those of others, would refer to items that are not stored.
 */
export function statelessOptions({ provider, modelId }: AnswerOrigin): SharedV3ProviderOptions[string] {
  if (!provider.endsWith('.responses')) return {};
  return NO_REASONING.test(modelId) ? { store: false } : { store: false, include: ['reasoning.encrypted_content'] };
}
