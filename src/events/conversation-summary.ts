import type { Message } from './agent-objects.js';

/** The metadata key of a message that stands for everything before it in its conversation. Its value is the summary. */
export const CONVERSATION_SUMMARY = 'conversation_summary';

/** The summary that a message holds; undefined for any other message. */
export function summaryOf({ metadata }: Pick<Message, 'metadata'>): string | undefined {
  const text = metadata?.[CONVERSATION_SUMMARY];
  return typeof text === 'string' ? text : undefined;
}

/** The end of a conversation that still counts: from its last summary on, or all of it. */
export function sinceSummary(messages: readonly Message[]): readonly Message[] {
  const at = messages.findLastIndex((message) => summaryOf(message) !== undefined);
  return at <= 0 ? messages : messages.slice(at);
}
