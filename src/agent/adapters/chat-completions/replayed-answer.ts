import { isPlainObject, type JsonObject } from '../../../common/index.js';
import type { ModelMessage } from '../../ports/model-client.js';
import { providerCallOf, providerStateIn } from './provider-state.js';

/** The key under which earlier versions stored what they sent back. */
const EARLIER_KEY = 'chat_completions';

/** What is sent back to a Chat Completions server with an answer that called tools. */
export interface ReplayedAnswer {
  /** The reasoning of a server that sends it under this name. */
  readonly reasoning_content?: string;
  /** The `extra_content` of calls, by their places in the answer. */
  readonly extra_content?: JsonObject;
}

type Answer = Extract<ModelMessage, { role: 'assistant' }>;

/** What this client left with an answer; empty for another shape or another client. */
export function replayedAnswer(message: Answer): ReplayedAnswer {
  const { reasoning_content: reasoning, extra_content: extra } = keptWith(message);
  return {
    ...(typeof reasoning === 'string' && { reasoning_content: reasoning }),
    ...(isPlainObject(extra) && { extra_content: extra as JsonObject }),
  };
}

function keptWith({ replay, toolCalls }: Answer): Readonly<Record<string, unknown>> {
  const state = providerStateIn(replay);
  if (!state) {
    const earlier = replay?.[EARLIER_KEY];
    return isPlainObject(earlier) ? earlier : {};
  }
  const extras = toolCalls.flatMap((_, place) => {
    const extra = providerCallOf(state, toolCalls, place)?.extra?.['extra_content'];
    return extra === undefined ? [] : [[String(place), extra] as const];
  });
  const { reasoning } = state;
  return {
    ...(reasoning?.field === 'reasoning_content' && { reasoning_content: reasoning.text }),
    ...(extras.length > 0 && { extra_content: Object.fromEntries(extras) }),
  };
}
