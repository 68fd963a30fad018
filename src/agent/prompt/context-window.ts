import type { Message } from '../../events/index.js';
import { callsOf, outputsOf } from './tool-traffic.js';
import { estimateMessageTokens, estimateTextTokens } from './token-estimate.js';

const NO_STATES: ReadonlyMap<string, string> = new Map();

/**
 * The part of a session's history that fits into a token budget together with the current input. The oldest
 * whole turns (a user's message and its answers) are left out first. A call is never separated from its output,
 * even if the output is in the input and the budget is exceeded.
 *
 * @param tokenBudget of history and input together, estimated
 * @param states what providers want back with messages, by their ids: it counts too
 * @returns the end of `history`, possibly empty
 */
export function fitHistory(
  history: readonly Message[],
  input: readonly Message[],
  tokenBudget: number,
  states: ReadonlyMap<string, string> = NO_STATES,
): readonly Message[] {
  const tokensOf = (message: Message): number =>
    estimateMessageTokens(message) + estimateTextTokens(states.get(message.id) ?? '');
  const available = tokenBudget - input.reduce((sum, message) => sum + tokensOf(message), 0);
  let start = history.length;
  let cost = 0;
  const splits = splitsOfCalls([...history, ...input]);
  for (let at = history.length; at >= 0; at -= 1) {
    const message = history[at];
    if (message) cost += tokensOf(message);
    const mayStartHere = at === 0 || at === history.length || (message !== undefined && opensTurn(message));
    if (!mayStartHere || splits.has(at)) continue;
    if (cost <= available || splits.has(start)) start = at;
    else break;
  }
  return history.slice(start);
}

/** The window begins with a message of the user, so that no answer is without its question. */
function opensTurn(message: Message): boolean {
  return message.type === 'message' && message.role === 'user';
}

/** The positions between two messages that separate a call from its output. */
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
