import type {
  LanguageModelV3CallOptions,
  LanguageModelV3FunctionTool,
  SharedV3ProviderOptions,
} from '@ai-sdk/provider';
import type { ModelRequest, ToolChoice } from '../../ports/model-client.js';
import type { ToolDeclaration } from '../../tools/index.js';
import type { WireRules } from '../chat-completions/profiles/wire-rules.js';
import { plainTool, sentTools } from '../chat-completions/request/tool-members.js';
import { effortOptions } from './sdk-effort.js';
import { type NativeApi, type ProviderRule, type RuledModel, ruledName, toolsOfHistory } from './sdk-rules.js';
import { argumentsSchema } from './sdk-schema.js';

type Options = SharedV3ProviderOptions[string];

/** Models of OpenAI that do not reason: they refuse requests for encrypted reasoning. */
const NO_REASONING = /^(chatgpt-|gpt-(3|4)|gpt-5(\.\d+)?-chat)/;
const REASONS = /^(o\d|gpt-([5-9]|\d\d))/;
/** APIs whose package can ask for strict schemas, and does so by itself. */
const STRICT: ReadonlySet<NativeApi> = new Set(['responses', 'openai', 'groq', 'mistral']);
/** Other names under which options of an API may be given. */
const ALIASES: Readonly<Record<string, readonly string[]>> = {
  azure: ['openai'],
  vertex: ['google'],
  bedrock: ['amazon-bedrock'],
};

/**
 * What a request asks for and the interface has no word for, as options of the provider, and above them those that are
 * given. A package reads one of several names only, so that all options stand under that one.
 *
 * @param given by provider; they win over what the request asks for
 */
export function providerOptions(
  rule: ProviderRule,
  model: RuledModel,
  request: ModelRequest,
  rules: WireRules,
  given: SharedV3ProviderOptions = {},
): SharedV3ProviderOptions {
  const name = optionsName(rule, model);
  const aliases = ALIASES[name] ?? [];
  const merged: SharedV3ProviderOptions = {};
  const add = (key: string, options: Options | undefined): void => {
    if (options && Object.keys(options).length > 0) merged[key] = Object.assign({}, merged[key], options);
  };
  for (const [key, options] of Object.entries(ownOptions(rule, model, request, rules))) add(key, options);
  for (const alias of aliases) add(name, given[alias]);
  for (const [key, options] of Object.entries(given)) if (!aliases.includes(key)) add(key, options);
  return rules.omit.includes('thinking') ? withoutThinking(merged) : merged;
}

/** Claude's thinking, by the packages of its providers. */
function withoutThinking(options: SharedV3ProviderOptions): SharedV3ProviderOptions {
  const entries = Object.entries(options).map(([key, { thinking: _thinking, reasoningConfig: _config, ...rest }]) => {
    return [key, rest] as const;
  });
  return Object.fromEntries(entries);
}

/** The name under which a package reads its options. */
function optionsName({ api }: ProviderRule, { provider }: RuledModel): string {
  if (api === 'anthropic' || api === 'bedrock') return api;
  if (api === 'google') return provider.includes('vertex') ? 'vertex' : 'google';
  if (api === 'responses' || api === 'openai') return provider.includes('azure') ? 'azure' : 'openai';
  return provider.split('.')[0] ?? provider;
}

function ownOptions(
  rule: ProviderRule,
  model: RuledModel,
  { options, tools }: ModelRequest,
  rules: WireRules,
): SharedV3ProviderOptions {
  const { api } = rule;
  const own: Options = { ...statelessOptions(rule, model, rules) };
  const format = rules.jsonSchema === 'full' ? options.responseFormat : undefined;
  if (STRICT.has(api)) own['strictJsonSchema'] = format?.type === 'json_schema' && format.strict === true;
  const effort = effortOf(options.reasoningEffort, tools.length > 0, rules);
  if (effort !== undefined) Object.assign(own, effortOptions(api, model, effort));
  const parallel =
    tools.length === 0 || rules.omit.includes('parallel_tool_calls') ? undefined : options.parallelToolCalls;
  return withParallel(api, { [optionsName(rule, model)]: own }, parallel);
}

/** The word for an effort, as refusals and settings have it. */
function effortOf(asked: string | undefined, hasTools: boolean, rules: WireRules): string | undefined {
  if (rules.omit.includes('reasoning_effort')) return undefined;
  const wanted = (hasTools ? rules.toolsEffort : null) ?? asked;
  if (wanted === undefined) return undefined;
  const word = (rules.effort[wanted] ?? rules.effort['*'])?.['reasoning_effort'];
  return typeof word === 'string' ? word.replace('$effort', wanted) : wanted;
}

function withParallel(
  api: NativeApi,
  own: SharedV3ProviderOptions,
  parallel: boolean | undefined,
): SharedV3ProviderOptions {
  if (parallel === undefined || api === 'google') return own;
  if (api === 'anthropic' || api === 'bedrock') {
    if (parallel) return own;
    return { ...own, anthropic: Object.assign({}, own['anthropic'], { disableParallelToolUse: true }) };
  }
  const [[name, options] = ['', {}]] = Object.entries(own);
  const key = api === 'xai' ? 'parallel_function_calling' : 'parallelToolCalls';
  return { [name]: Object.assign({}, options, { [key]: parallel }) };
}

/**
 * The options with which a provider returns all that it wants back, instead of keeping it: OpenAI's Responses API, and
 * those of others, would refer to items that are not stored.
 */
function statelessOptions({ api }: ProviderRule, model: RuledModel, rules: WireRules): Options {
  if (!model.provider.endsWith('.responses')) return {};
  // Other packages ask for it by themselves, and do not know the option.
  if (api !== 'responses') return { store: false };
  const name = ruledName(model);
  const forced = model.family === undefined ? {} : { forceReasoning: REASONS.test(name) && !NO_REASONING.test(name) };
  if (NO_REASONING.test(name) || rules.omit.includes('include')) return { store: false, ...forced };
  return { store: false, include: ['reasoning.encrypted_content'], ...forced };
}

/** The tools of a request and how they are to be called, and sentences for the log about what is not sent. */
interface WrittenTools extends Pick<LanguageModelV3CallOptions, 'tools' | 'toolChoice'> {
  readonly notes: readonly string[];
}

/** Tools in the form of the interface (contract model-servers, sections 1.1 and 1.3). */
export function writtenTools(request: ModelRequest, rules: WireRules): WrittenTools {
  const sent = sentTools(request, rules);
  if (sent.length === 0) return historyTools(request, rules);
  const { toolChoice } = request.options;
  const choice = choiceFor(toolChoice, sent, rules);
  const isForced = toolChoice !== undefined && toolChoice !== 'auto' && toolChoice !== 'none';
  return {
    tools: sent.map((tool) => functionTool(tool, rules)),
    ...(choice && { toolChoice: choice }),
    notes: [
      ...leftOut(request.tools, sent, rules),
      ...(isForced && !choice
        ? [`The tool choice ${JSON.stringify(toolChoice)} is left to the model: the provider cannot force it.`]
        : []),
    ],
  };
}

/** Providers that refuse calls without tools get those of the calls. */
function historyTools({ messages, tools: asked }: ModelRequest, rules: WireRules): WrittenTools {
  const notes = asked.length > 0 && !rules.tools ? ['The tools are left out: the model takes none.'] : [];
  const tools = rules.toolsForCalls && rules.tools ? toolsOfHistory(messages) : undefined;
  if (!tools) return { notes };
  return { tools, ...(rules.toolChoices.includes('none') && { toolChoice: { type: 'none' } }), notes };
}

function functionTool(tool: ToolDeclaration, rules: WireRules): LanguageModelV3FunctionTool {
  const isPlain = rules.plainSchemas || rules.plainTools.includes(tool.name);
  const { name, description, parameters } = isPlain ? plainTool(tool.name, tool.description, tool.parameters) : tool;
  return { type: 'function', name, description, inputSchema: argumentsSchema(parameters, rules) };
}

/** The strongest form that the provider knows; undefined leaves the choice to the model. */
function choiceFor(
  choice: ToolChoice | undefined,
  sent: readonly ToolDeclaration[],
  { toolChoices, omit }: WireRules,
): LanguageModelV3CallOptions['toolChoice'] {
  if (choice === undefined || choice === 'auto' || omit.includes('tool_choice')) return undefined;
  if (choice === 'none') return { type: 'none' };
  const isSent = typeof choice === 'object' && sent.some(({ name }) => name === choice.name);
  if (isSent && toolChoices.includes('named')) return { type: 'tool', toolName: choice.name };
  return toolChoices.includes('required') ? { type: 'required' } : undefined;
}

function leftOut(
  all: readonly ToolDeclaration[],
  sent: readonly ToolDeclaration[],
  { maxTools, droppedTools }: WireRules,
): string[] {
  const names = all.map(({ name }) => name).filter((name) => !droppedTools.includes(name));
  if (names.length <= maxTools || sent.length < maxTools) return [];
  return [`Only ${maxTools} tools are sent; these are left out: ${names.slice(maxTools).join(', ')}.`];
}
