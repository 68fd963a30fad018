import type { Message } from '../../events/index.js';
import { callsOf, outputsOf } from './tool-traffic.js';
import { estimateMessageTokens } from './token-estimate.js';

/**
 * The part of a session's history that fits into a token budget beside the current input. The oldest
 * whole turns (a user's message and all that answers it) are left out first; a call is never parted
 * from its output, even where the output is in the input and the budget is exceeded by it.
 *
 * @param tokenBudget of history and input together, by estimate
 * @returns the end of `history`, possibly empty
 */
export function fitHistory(
  history: readonly Message[],
  input: readonly Message[],
  tokenBudget: number,
): readonly Message[] {
  const available = tokenBudget - input.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
  let start = history.length;
  let cost = 0;
  const splits = splitsOfCalls([...history, ...input]);
  for (let at = history.length; at >= 0; at -= 1) {
    const message = history[at];
    if (message) cost += estimateMessageTokens(message);
    const mayStartHere = at === 0 || at === history.length || (message !== undefined && opensTurn(message));
    if (!mayStartHere || splits.has(at)) continue;
    if (cost <= available || splits.has(start)) start = at;
    else break;
  }
  return history.slice(start);
}

function opensTurn(message: Message): boolean {
  return message.type === 'message' && message.role === 'user';
}

/** The places between two messages that lie between a call and its output. */
function splitsOfCalls(messages: readonly Message[]): ReadonlySet<number> {
  const splits = new Set<number>();
  const callAt = new Map<string, number>();
  messages.forEach((message, at) => {
    for (const { id } of callsOf(message)) callAt.set(id, at);
    for (const { callId } of outputsOf(message)) {
      const made = callAt.get(callId);
      callAt.delete(callId);
      for (let place = (made ?? at) + 1; place <= at; place += 1) splits.add(place);
    }
  });
  return splits;
}
