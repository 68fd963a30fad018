import type { LanguageModelV3FunctionTool } from '@ai-sdk/provider';
import { fingerprint } from '../../../common/index.js';
import type { ModelMessage } from '../../ports/model-client.js';
import { validHistory } from '../../prompt/valid-history.js';
import type { RuleChange } from '../chat-completions/profiles/wire-rules.js';

/** Who made an answer: states of others are not sent, because they could not be verified. */
export interface AnswerOrigin {
  /** The name of the provider, such as `openai.responses`. */
  readonly provider: string;
  readonly modelId: string;
}

/** A model whose requests are written by rules. */
export interface RuledModel extends AnswerOrigin {
  /** The family that `LLM_PROFILE` names, for a model whose name does not say it, such as a deployment of Azure. */
  readonly family?: string | undefined;
}

/** The name by which the rules of a model are chosen. */
export function ruledName({ family, modelId }: RuledModel): string {
  return (family ?? modelId).toLowerCase();
}

/** An API that a package speaks. */
export type NativeApi =
  'anthropic' | 'bedrock' | 'google' | 'responses' | 'openai' | 'mistral' | 'groq' | 'xai' | 'other';

/** What an API demands beyond what its package sees to (contract model-servers, sections 1.1 to 1.3 and 5). */
export interface ProviderRule {
  readonly api: NativeApi;
  /** Ids of calls that it takes; others are replaced by a digest. */
  readonly callId: RegExp;
  /** The form of other ids. */
  readonly digest: (hex: string) => string;
  /** False if no message of a user may follow results. Default true. */
  readonly userAfterResults?: boolean;
  /** False if a result must have a text that is not blank. Default true. */
  readonly blankResults?: boolean;
  /** The least limit of output tokens. Default: any. */
  readonly leastTokens?: number;
  /** False if a text at which the answer ends must not be blank. Default true. */
  readonly blankStops?: boolean;
  /** The most texts at which the answer ends. Default: any number. */
  readonly mostStops?: number;
  /** The media types of files that are taken inline besides images. Default: all. */
  readonly files?: RegExp;
  /** Addresses of images that it reads though its package does not say so. */
  readonly imageUrls?: RegExp;
  /** True if thoughts go back though nothing is attached to them. */
  readonly plainThoughts?: boolean;
  /** Rules in the words of profiles. */
  readonly wire: RuleChange;
}

const NAMED = (hex: string): string => `call_${hex.slice(0, 32)}`;
const NINE = (hex: string): string => hex.slice(0, 9);
const NINE_ID = /^[a-zA-Z0-9]{9}$/;
const PICTURES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const NO_FILES = /^$/;

const CLAUDE: ProviderRule = {
  api: 'anthropic',
  callId: /^[a-zA-Z0-9_-]{1,64}$/,
  digest: NAMED,
  blankResults: false,
  blankStops: false,
  files: /^application\/pdf$/,
  // It has no format for any object.
  wire: { jsonObject: 'text', toolsForCalls: true, imageTypes: PICTURES },
};
const BEDROCK: ProviderRule = {
  ...CLAUDE,
  api: 'bedrock',
  wire: { ...CLAUDE.wire, toolChoices: ['required', 'named'] },
};
const GEMINI: ProviderRule = {
  api: 'google',
  mostStops: 5,
  callId: /^/,
  digest: NAMED,
  files: /^(application\/pdf|audio\/.*)$/,
  wire: {
    toolSchema: 'gemini',
    omit: ['frequency_penalty', 'presence_penalty'],
    imageTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
  },
};
const RESPONSES: ProviderRule = {
  api: 'responses',
  leastTokens: 16,
  callId: /^[^]{1,64}$/,
  digest: NAMED,
  files: /^application\/pdf$/,
  wire: { imageTypes: PICTURES },
};
const OPENAI_CHAT: ProviderRule = {
  ...RESPONSES,
  api: 'openai',
  leastTokens: 1,
  mostStops: 4,
  files: /^(application\/pdf|audio\/.*)$/,
};
const MISTRAL: ProviderRule = {
  api: 'mistral',
  callId: NINE_ID,
  digest: NINE,
  userAfterResults: false,
  plainThoughts: true,
  files: /^application\/pdf$/,
  imageUrls: /^https?:/,
  wire: { imageTypes: PICTURES },
};
const GROQ: ProviderRule = {
  api: 'groq',
  callId: /^/,
  digest: NAMED,
  plainThoughts: true,
  files: NO_FILES,
  wire: { imageTypes: PICTURES },
};
const XAI: ProviderRule = {
  api: 'xai',
  callId: /^/,
  digest: NAMED,
  files: NO_FILES,
  wire: { imageTypes: ['image/png', 'image/jpeg'] },
};
const OTHER: ProviderRule = { api: 'other', callId: /^/, digest: NAMED, wire: {} };

/** By the first part of the provider's name. */
const RULES: ReadonlyMap<string, ProviderRule> = new Map([
  ['anthropic', CLAUDE],
  ['amazon-bedrock', BEDROCK],
  ['bedrock', BEDROCK],
  ['google', GEMINI],
  ['vertex', GEMINI],
  ['mistral', MISTRAL],
  ['groq', GROQ],
  ['xai', XAI],
]);

/** The rule of the API that a package speaks. */
export function providerRule({ provider, modelId }: AnswerOrigin): ProviderRule {
  if (provider.includes('anthropic') || (provider.includes('vertex') && modelId.includes('claude'))) return CLAUDE;
  const [name = provider] = provider.split('.');
  // Also of providers to which a team gives names of its own.
  if (provider.endsWith('.messages')) return CLAUDE;
  if (provider.endsWith('.responses') && name !== 'xai') return RESPONSES;
  if (name === 'openai' || name === 'azure') return OPENAI_CHAT;
  return RULES.get(name) ?? OTHER;
}

/** The id of a call as the provider takes it: always the same for the same id. */
export function callIdFor({ callId, digest }: ProviderRule, id: string, areShort = false): string {
  if (areShort) return NINE_ID.test(id) ? id : NINE(fingerprint(id));
  return callId.test(id) ? id : digest(fingerprint(id));
}

/** The conversation with an answer between results and images, where the provider needs one. */
export function orderedFor(
  { userAfterResults = true }: ProviderRule,
  messages: readonly ModelMessage[],
): readonly ModelMessage[] {
  return userAfterResults ? messages : validHistory(messages, { imagesAfterResults: false });
}

/** The tools of the history's calls, for a provider that refuses calls without tools; undefined if there are none. */
export function toolsOfHistory(messages: readonly ModelMessage[]): LanguageModelV3FunctionTool[] | undefined {
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
