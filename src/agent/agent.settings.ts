import { integer, setting, settings, text, token } from '../config/index.js';

/** How agents answer. */
export class AgentSettings extends settings('Agent', {
  maxSteps: setting('AGENT_MAX_STEPS', integer({ min: 1, max: 1000 }), {
    default: 12,
    description: 'Model calls that one run may make.',
  }),
  systemPrompt: setting('AGENT_SYSTEM_PROMPT', text(100_000), {
    unset: 'the built-in system prompt',
    description: 'Replaces the system prompt of the agent `worker`.',
  }),
  contextTokenBudget: setting('CONTEXT_TOKEN_BUDGET', integer({ min: 256, max: 10_000_000 }), {
    default: 32_000,
    description: 'Tokens of history and input that are sent to the model.',
  }),
  defaultAgent: setting('DEFAULT_AGENT', token(128), {
    default: 'worker',
    description: 'The agent that answers requests that name no agent.',
  }),
  uiLocale: setting('UI_LOCALE', token(35), {
    default: 'zh-CN',
    description: 'Language tag of the cards in answers (ui_schema) for users who have not chosen a language.',
  }),
}) {}
