import { fingerprint } from '../../common/index.js';
import { CONVERSATION_SUMMARY } from '../../events/index.js';
import type { AgentContext } from '../agent.js';
import type { ModelMessage } from '../ports/model-client.js';
import { condense } from '../prompt/condense.js';
import { estimatePromptTokens, estimateTextTokens } from '../prompt/token-estimate.js';

/** The part of the limit that a summary may fill. */
const SUMMARY_SHARE = 0.5;
/** The estimated tokens that a summary may have in any case. */
const MIN_SUMMARY_TOKENS = 64;

/** The conversation before a model call. */
export interface GrownConversation {
  readonly messages: readonly ModelMessage[];
  /** How many messages at its beginning are instructions, which no summary stands for. */
  readonly instructions: number;
  /** The estimated tokens above which it is shortened. */
  readonly limit: number;
  /** The number of the model call that follows, from 0. */
  readonly step: number;
}

/**
 * Puts a summary in place of the beginning of a conversation that has more tokens than the limit, and writes a message
 * with it, which stands for everything before it in later runs. The user's last message stays as it is, and the last
 * answer if it called tools. Before the first model call the summary is written even if there is nothing to leave out.
 *
 * @returns the messages for the model; undefined if the conversation is not shortened
 */
export function shortened(context: AgentContext, conversation: GrownConversation): ModelMessage[] | undefined {
  const { messages, instructions, limit, step } = conversation;
  if (estimatePromptTokens(messages) <= limit) return undefined;
  const said = messages.slice(instructions);
  const maxTokens = Math.max(MIN_SUMMARY_TOKENS, Math.floor(limit * SUMMARY_SHARE));
  const summary = condense(said, { whose: 'all', maxTokens });
  const kept = keptOf(said);
  const leftOut = said.filter((message) => !kept.includes(message));
  if (summary === '' || (step > 0 && estimatePromptTokens(leftOut) <= estimateTextTokens(summary))) return undefined;
  writeSummary(context, `summary:${step}`, summary);
  if (leftOut.length === 0) return undefined;
  return [...messages.slice(0, instructions), { role: 'system', content: summary }, ...kept];
}

/** Writes a message that holds a summary: a step of the journal. @param key of the step */
export function writeSummary({ journal, response, summaryLabel }: AgentContext, key: string, summary: string): void {
  const inputHash = fingerprint(summary);
  if (journal.finished(key, inputHash)) return;
  const metadata = { [CONVERSATION_SUMMARY]: summary, ...summaryLabel?.(summary) };
  // Wires that know no summaries show reasoning of which nothing is said.
  const message = response.createMessageBuilder('assistant', 'reasoning', metadata);
  message.created();
  message.inProgress();
  message.complete();
  journal.finish(key, inputHash, {}, [message.id]);
}

/** The user's last words, and what follows them of the answer that is in progress. */
function keptOf(said: readonly ModelMessage[]): readonly ModelMessage[] {
  const isAnswering = said.at(-1)?.role !== 'user';
  const answer = isAnswering ? said.findLastIndex(({ role }) => role === 'assistant') : -1;
  const end = answer < 0 ? said.length : answer;
  const last = said.slice(0, end).findLastIndex(({ role }) => role === 'user');
  let first = last;
  while (first > 0 && said[first - 1]?.role === 'user') first -= 1;
  return [...(last < 0 ? [] : said.slice(first, last + 1)), ...(answer < 0 ? [] : said.slice(answer))];
}
