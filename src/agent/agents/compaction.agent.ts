import type { Agent, AgentContext } from '../agent.js';
import { writeSummary } from '../loop/summary.js';
import { condense } from '../prompt/condense.js';
import { toModelMessages } from '../prompt/prompt.js';

/** The part of the context window that a summary may fill. */
const SUMMARY_SHARE = 0.5;

/** Writes a summary that stands for the conversation, and nothing else. No model is called. */
export class CompactionAgent implements Agent {
  /** @param settings with the budget of a conversation, in estimated tokens */
  constructor(private readonly settings: { readonly contextTokenBudget: number }) {}

  /** Writes one message, which holds the summary. */
  async *run(context: AgentContext): AsyncGenerator<undefined, void, void> {
    const maxTokens = Math.floor(this.settings.contextTokenBudget * SUMMARY_SHARE);
    const messages = toModelMessages('', [...context.history, ...context.input]);
    writeSummary(context, 'summary', condense(messages, { whose: 'all', maxTokens }));
    yield;
    await context.flush();
  }
}
