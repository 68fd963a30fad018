import type { SharedV3ProviderOptions } from '@ai-sdk/provider';
import { type NativeApi, ruledName, type RuledModel } from './sdk-rules.js';

type Options = SharedV3ProviderOptions[string];

/** The words for how hard a model is to think, the least first. */
const SCALE = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const USUAL = ['low', 'medium', 'high'];

/** What models of OpenAI know, by their names; models that are not listed get the word as it is. The first match counts. */
const OPENAI: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^(gpt-[34]|chatgpt-|gpt-5(\.\d+)?-chat)/, []],
  [/^o\d/, USUAL],
  [/^gpt-5-pro/, ['high']],
  [/^gpt-5\.\d+-pro/, ['medium', 'high', 'xhigh']],
  [/^gpt-5\.([6-9]|\d\d)/, ['none', ...USUAL, 'xhigh', 'max']],
  [/^gpt-5\.[2-5]/, ['none', ...USUAL, 'xhigh']],
  [/^gpt-5\.1/, ['none', ...USUAL]],
  [/^gpt-5/, ['minimal', ...USUAL]],
  [/^gpt-\d/, [...USUAL, 'xhigh', 'max']],
];
const GROQ: typeof OPENAI = [
  [/qwen/, ['none', 'default']],
  [/gpt-oss/, USUAL],
  [/^/, ['none', ...USUAL]],
];
const GEMINI_LEVELS: typeof OPENAI = [
  [/gemini-3-pro/, ['low', 'high']],
  [/gemini-[\d.]+-pro/, USUAL],
  [/^/, ['minimal', ...USUAL]],
];
/** Tokens for the thoughts of Gemini 2.5, as its Chat Completions API counts them. */
const GEMINI_BUDGETS: Readonly<Record<string, number>> = { none: 0, low: 1024, medium: 8192, high: 24_576 };

/** Claude models with the parameter `effort`. */
const CLAUDE_EFFORT = /claude-(opus-4-5|[a-z]+-4-([6-9]|\d\d(?!\d))|[a-z]+-([5-9]|\d\d)(?!\d))/;

/**
 * The nearest of some words to an effort; of two that are equally near, the greater one. Undefined for a word that is
 * neither among them nor known.
 */
export function nearestEffort(effort: string, words: readonly string[]): string | undefined {
  if (words.includes(effort)) return effort;
  const place = SCALE.indexOf(effort);
  const known = words.filter((word) => SCALE.includes(word));
  if (place < 0 || known.length === 0) return undefined;
  const distance = (word: string): number => Math.abs(SCALE.indexOf(word) - place);
  return known.reduce((best, word) => (distance(word) <= distance(best) ? word : best));
}

/** The words of the scale that stand in a sentence, such as that of a refusal. */
export function effortsIn(sentence: string): readonly string[] {
  return SCALE.filter((word) => new RegExp(`['"\`]${word}['"\`]`).test(sentence));
}

/**
 * The options that say how hard a model is to think, in the words that its package and its API take; empty if they have
 * no such word. Packages throw for a word that they do not know.
 */
export function effortOptions(api: NativeApi, model: RuledModel, effort: string): Options {
  const name = ruledName(model);
  switch (api) {
    case 'responses':
    case 'openai':
      return openAiOptions(model, effort);
    case 'mistral':
      return present('reasoningEffort', /magistral/.test(name) ? undefined : nearestEffort(effort, ['none', 'high']));
    case 'groq':
      return present('reasoningEffort', groqEffort(name, effort));
    case 'xai':
      return present('reasoningEffort', nearestEffort(effort, ['none', ...USUAL]));
    case 'google':
      return geminiOptions(name, effort);
    case 'anthropic':
      return present('effort', claudeEffort(name, effort));
    case 'bedrock':
      return bedrockOptions(name, effort);
    case 'other':
      return { reasoningEffort: effort };
  }
}

function present(key: string, word: string | undefined): Options {
  return word === undefined ? {} : { [key]: word };
}

function wordsFor(table: typeof OPENAI, name: string): readonly string[] | undefined {
  return table.find(([pattern]) => pattern.test(name))?.[1];
}

/** A deployment of Azure has any name: whoever asks for an effort says that its model reasons. */
function openAiOptions(model: RuledModel, effort: string): Options {
  const words = wordsFor(OPENAI, ruledName(model));
  if (words) return present('reasoningEffort', nearestEffort(effort, words));
  return { reasoningEffort: effort, ...(model.provider.startsWith('azure') && { forceReasoning: true }) };
}

/** Qwen on Groq thinks or does not. */
function groqEffort(name: string, effort: string): string | undefined {
  const words = wordsFor(GROQ, name) ?? [];
  if (words.includes('default') && SCALE.includes(effort)) return effort === 'none' ? 'none' : 'default';
  return nearestEffort(effort, words);
}

function geminiOptions(name: string, effort: string): Options {
  if (/gemini-(1|2\.0)|^gemma/.test(name)) return {};
  if (!name.includes('gemini-2.5')) {
    const thinkingLevel = nearestEffort(effort, wordsFor(GEMINI_LEVELS, name) ?? []);
    return thinkingLevel === undefined ? {} : { thinkingConfig: { thinkingLevel } };
  }
  // The model for professionals cannot but think.
  const words = name.includes('pro') ? USUAL : ['none', ...USUAL];
  const budget = GEMINI_BUDGETS[nearestEffort(effort, words) ?? ''];
  return budget === undefined ? {} : { thinkingConfig: { thinkingBudget: budget } };
}

function claudeEffort(name: string, effort: string): string | undefined {
  return CLAUDE_EFFORT.test(name) && effort !== 'none' ? nearestEffort(effort, USUAL) : undefined;
}

/** The package writes one option in the words of the family. */
function bedrockOptions(name: string, effort: string): Options {
  const config = (word: string | undefined, type?: string): Options =>
    word === undefined ? {} : { reasoningConfig: { ...(type !== undefined && { type }), maxReasoningEffort: word } };
  if (/claude/.test(name)) return config(claudeEffort(name, effort));
  if (/gpt-oss|openai\./.test(name)) return config(nearestEffort(effort, USUAL));
  return /nova-2/.test(name) && effort !== 'none' ? config(nearestEffort(effort, USUAL), 'enabled') : {};
}
