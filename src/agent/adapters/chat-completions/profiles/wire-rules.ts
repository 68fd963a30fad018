import type { JsonObject } from '../../../../common/index.js';

/**
 * How a request is written for one model server: plain data, so that a profile, `LLM_COMPAT` and what a refusal taught
 * are written in the same words (contract model-servers, section 0).
 */
export interface WireRules {
  /** The name of the limit of output tokens. */
  readonly limit: 'max_tokens' | 'max_completion_tokens';
  /** Whether `stream_options` asks for the usage. */
  readonly streamUsage: boolean;
  /** Members of the body that are never sent. */
  readonly omit: readonly string[];
  /** Other names of members of the body. */
  readonly rename: Readonly<Record<string, string>>;
  /** Members of every body. */
  readonly extra: JsonObject;
  /** The members that say how hard the model is to think, by effort; `*` is every other one, `$effort` its word. */
  readonly effort: Readonly<Record<string, JsonObject>>;
  /** The effort of every request with tools, for models that think or call but not both. */
  readonly toolsEffort: string | null;
  /** Rules that hold in addition where an effort other than `none` is requested. */
  readonly withThinking: RuleChange;
  /** Rules that hold in addition where the effort is `none`. */
  readonly withoutThinking: RuleChange;

  /** The values of `tool_choice` that the server knows besides `auto`. Without `none`, the tools are left out for it. */
  readonly toolChoices: readonly ToolChoiceForm[];
  /** The word for a choice that forces some call. */
  readonly requiredWord: 'required' | 'any';
  /** How an answer in JSON of a schema is requested: with all of it, without limits, as any object, or in words. */
  readonly jsonSchema: 'full' | 'simple' | 'object' | 'text';
  /** How an answer in JSON is requested: `json_object`, a schema without members, or in words. */
  readonly jsonObject: 'object' | 'schema' | 'text';

  /** False: the model takes no tools; calls and results of the conversation become text. */
  readonly tools: boolean;
  /** Whether the name of a tool must begin with a letter or `_`. */
  readonly startsWithLetter: boolean;
  /** Which schemas of arguments the server takes: those that all take, or the dialect of one. */
  readonly toolSchema: 'common' | 'kimi' | 'gemini' | 'strict' | 'llamacpp';
  /** The most tools of a request. */
  readonly maxTools: number;
  /** Tools whose parameters are left out, by the names that the model sees. */
  readonly plainTools: readonly string[];
  /** Tools that are not sent, by the names that the model sees. */
  readonly droppedTools: readonly string[];
  /** True: no tool has parameters. */
  readonly plainSchemas: boolean;
  /** Whether a request with calls in its messages must have tools; then one that does nothing is sent if there are none. */
  readonly toolsForCalls: boolean;

  /** Where system messages may be: anywhere, one at the beginning, or nowhere (its text precedes the user's). */
  readonly system: 'any' | 'first' | 'user';
  /** Whether user and assistant must alternate, beginning with the user; calls and results do not count. */
  readonly alternate: boolean;
  /** Whether the last message must be the user's. */
  readonly endsWithUser: boolean;
  /** Whether a message of the assistant must stand between a result and a message of the user. */
  readonly bridge: boolean;
  /** How many calls one message may have. */
  readonly callsPerMessage: 'all' | 'one';
  /** Which ids of calls are taken: any, up to 40 letters, digits, `_` and `-`, or 9 letters and digits. */
  readonly callIds: 'any' | 'short' | 'nine';
  /** Whether a result names its tool. */
  readonly resultNames: boolean;
  /** Whether several texts of the user are joined to one string. */
  readonly joinTexts: boolean;
  /** Whether a text may be blank. */
  readonly blankTexts: boolean;
  /** Whether the content of an answer without words may be null next to calls. If not, it is an empty text. */
  readonly nullContents: boolean;
  /** Which images are sent: all, those with their bytes, or none. Others are described in words. */
  readonly images: 'all' | 'inline' | 'none';
  /** The media types of inline images; empty for all. */
  readonly imageTypes: readonly string[];

  /** The member in which thoughts go back: that in which they came, a fixed one, or none. */
  readonly thoughts: 'same' | 'reasoning_content' | 'reasoning' | 'never';
  /** Whether thoughts go back with every answer, or with those after the last message of the user. */
  readonly thoughtsOf: 'all' | 'turn';
  /** Whether thoughts that came in tags go back in tags. */
  readonly thoughtTags: boolean;
  /** Whether thoughts that came as parts of the content go back so. */
  readonly thoughtParts: boolean;
  /** Whether a message may have text, thoughts and calls. If not, the thoughts are left out. */
  readonly thoughtsWithText: boolean;
  /** Whether answers of turns with calls must have thoughts; empty ones are sent where none are known. */
  readonly thoughtsNeeded: boolean;
  /** Whether `reasoning_details` go back. */
  readonly details: boolean;
  /** Whether `thinking_blocks` go back. */
  readonly thinkingBlocks: boolean;
  /** Whether members of a call that are not of the format, such as `extra_content`, go back. */
  readonly callExtras: boolean;
  /** Whether a text may begin within thoughts, so that only the tag at their end shows it. */
  readonly beginsInThoughts: boolean;
  /** Whether calls without a thought signature get the one that asks the server not to check it. */
  readonly skipSignatures: boolean;
}

/** A value of `tool_choice`: its words, or the name of a tool. */
export type ToolChoiceForm = 'none' | 'required' | 'named';

/** Some of the rules. */
export type RuleChange = Partial<WireRules>;

/** The rules for a server of which nothing is known. */
export const GENERIC_RULES: WireRules = {
  limit: 'max_tokens',
  streamUsage: true,
  omit: [],
  rename: {},
  extra: {},
  effort: { '*': { reasoning_effort: '$effort' } },
  toolsEffort: null,
  withThinking: {},
  withoutThinking: {},
  toolChoices: ['none', 'required', 'named'],
  requiredWord: 'required',
  jsonSchema: 'full',
  jsonObject: 'object',
  tools: true,
  startsWithLetter: false,
  toolSchema: 'common',
  maxTools: 128,
  plainTools: [],
  droppedTools: [],
  plainSchemas: false,
  toolsForCalls: false,
  system: 'any',
  alternate: false,
  endsWithUser: false,
  bridge: false,
  callsPerMessage: 'all',
  callIds: 'any',
  resultNames: false,
  joinTexts: false,
  blankTexts: true,
  nullContents: true,
  images: 'all',
  imageTypes: [],
  thoughts: 'same',
  thoughtsOf: 'all',
  thoughtTags: false,
  thoughtParts: true,
  thoughtsWithText: true,
  thoughtsNeeded: false,
  details: true,
  thinkingBlocks: true,
  callExtras: true,
  skipSignatures: false,
  beginsInThoughts: false,
};

/** The rules with others in their place. */
export function overridden(rules: WireRules, change: RuleChange): WireRules {
  return Object.assign({}, rules, change);
}

/** Two changes as one: names that are left out by either are left out, for the rest the second one decides. */
export function merged(first: RuleChange, second: RuleChange): RuleChange {
  const both: { -readonly [Key in keyof WireRules]?: WireRules[Key] } = Object.assign({}, first, second);
  for (const key of ['omit', 'plainTools', 'droppedTools'] as const) {
    const names = new Set([...(first[key] ?? []), ...(second[key] ?? [])]);
    if (names.size > 0) both[key] = [...names];
  }
  return both;
}

/** The rules of one model, by the requested effort. */
export interface RuleSet {
  /** For requests without an effort. */
  readonly usual: WireRules;
  /** For those with an effort other than `none`. */
  readonly thinking: WireRules;
  /** For those with the effort `none`. */
  readonly quiet: WireRules;
}

/** The rules of a profile, and above them what refusals taught. */
export function ruleSetOf(rules: WireRules, learned: RuleChange): RuleSet {
  const withLearned = (change: RuleChange): WireRules => {
    const changed = overridden(rules, change);
    return overridden(changed, merged(changed, learned));
  };
  return {
    usual: withLearned({}),
    thinking: withLearned(rules.withThinking),
    quiet: withLearned(rules.withoutThinking),
  };
}

/** Those of a set that hold for an effort. */
export function rulesFor({ usual, thinking, quiet }: RuleSet, effort: string | undefined): WireRules {
  return effort === undefined ? usual : effort === 'none' ? quiet : thinking;
}
