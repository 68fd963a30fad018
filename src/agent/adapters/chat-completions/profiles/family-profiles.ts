import type { FamilyProfile } from './profile.js';
import type { RuleChange } from './wire-rules.js';

const PENALTIES = ['frequency_penalty', 'presence_penalty'];
const SAMPLING = ['temperature', 'top_p', ...PENALTIES, 'logprobs', 'top_logprobs'];
const THINKS_SINCE_5_1: RuleChange = {
  limit: 'max_completion_tokens',
  omit: SAMPLING,
  withoutThinking: { omit: [...PENALTIES, 'logprobs', 'top_logprobs'] },
};

/** The families by the names of their models (contract model-servers, sections 1.1 and 1.2). The first match counts. */
export const FAMILY_PROFILES: readonly FamilyProfile[] = [
  {
    name: 'gpt-5-chat',
    models: ['*gpt-5-chat*', '*gpt-5.?-chat*'],
    rules: { limit: 'max_completion_tokens' },
    template: {},
  },
  {
    name: 'gpt-5.4',
    models: ['*gpt-5.4*', '*gpt-5.5*', '*gpt-5.6*', '*gpt-5.7*', '*gpt-5.8*', '*gpt-5.9*', '*gpt-6*'],
    rules: { ...THINKS_SINCE_5_1, toolsEffort: 'none' },
    template: {},
  },
  {
    name: 'gpt-5.1',
    models: ['*gpt-5.1*', '*gpt-5.2*', '*gpt-5.3*'],
    rules: THINKS_SINCE_5_1,
    template: {},
  },
  {
    name: 'gpt-5',
    models: ['*gpt-5*', 'o1*', 'o2*', 'o3*', 'o4*', 'o5*', 'o6*', 'o7*', 'o8*', 'o9*'],
    rules: { limit: 'max_completion_tokens', omit: SAMPLING },
    template: {},
  },
  {
    name: 'gpt-4',
    models: ['gpt-4*', 'gpt-3.5*', 'chatgpt-4*'],
    rules: {},
    template: {},
  },
  {
    name: 'deepseek-r1',
    models: ['*deepseek-r1*', '*deepseek-reasoner*'],
    // Thoughts of earlier turns are refused, those of the present one are needed.
    rules: { toolChoices: ['none'], jsonSchema: 'object', thoughtsOf: 'turn', thoughtsNeeded: true },
    template: { thoughtsOf: 'turn' },
  },
  {
    name: 'deepseek-v3',
    models: ['*deepseek-chat*', '*deepseek-v3*'],
    rules: {
      jsonSchema: 'object',
      withThinking: { toolChoices: ['none'], thoughtsNeeded: true },
      effort: {
        none: { thinking: { type: 'disabled' } },
        '*': { thinking: { type: 'enabled' }, reasoning_effort: '$effort' },
      },
    },
    template: {},
  },
  {
    name: 'deepseek',
    models: ['*deepseek*'],
    rules: {
      toolChoices: ['none'],
      jsonSchema: 'object',
      thoughtsNeeded: true,
      withoutThinking: { toolChoices: ['none', 'required', 'named'] },
      effort: {
        none: { thinking: { type: 'disabled' } },
        '*': { thinking: { type: 'enabled' }, reasoning_effort: '$effort' },
      },
    },
    template: {},
  },
  {
    name: 'kimi',
    models: ['*kimi*', 'moonshot*'],
    rules: {
      omit: ['temperature', 'top_p'],
      toolSchema: 'kimi',
      thoughtsNeeded: true,
      effort: { none: { thinking: { type: 'disabled' } }, '*': { reasoning_effort: '$effort' } },
    },
    template: {},
  },
  {
    name: 'mistral',
    models: ['*mistral*', '*devstral*', '*magistral*', '*ministral*', '*codestral*', '*mixtral*', '*pixtral*'],
    rules: {},
    // Its tokenizers refuse arguments of a chat template.
    template: { system: 'first', alternate: true, bridge: true, callIds: 'nine', omit: ['chat_template_kwargs'] },
  },
  {
    name: 'gemini',
    models: ['*gemini*'],
    rules: {
      omit: PENALTIES,
      toolSchema: 'gemini',
      startsWithLetter: true,
      resultNames: true,
      blankTexts: false,
      images: 'inline',
      system: 'first',
    },
    template: {},
  },
  {
    name: 'claude',
    models: ['*claude*'],
    rules: { system: 'first', blankTexts: false, toolsForCalls: true, omit: PENALTIES },
    template: {},
  },
  {
    name: 'gemma-2',
    models: ['*gemma-2-*', '*gemma-2', '*gemma2*'],
    rules: {},
    template: { system: 'user', alternate: true },
  },
  {
    name: 'gemma',
    models: ['*gemma*'],
    rules: {},
    template: { system: 'first', alternate: true },
  },
  {
    name: 'gpt-oss',
    models: ['*gpt-oss*'],
    rules: {},
    template: { thoughtsWithText: false },
  },
  {
    name: 'qwen3',
    models: ['*qwen3*'],
    rules: {},
    template: { system: 'first' },
  },
  {
    name: 'llama-3',
    models: ['*llama-3*', '*llama3*'],
    rules: {},
    template: { system: 'first', callsPerMessage: 'one' },
  },
];
