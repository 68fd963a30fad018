import { isPlainObject, type JsonObject } from '../../../common/index.js';
import type { ModelMessage } from '../../ports/model-client.js';

/** The key of this client in the `replay` of an answer. */
export const REPLAY_KEY = 'chat_completions';

/** What is sent back to a Chat Completions server with an answer that called tools. */
export interface ReplayedAnswer {
  /** The reasoning of a server that sends it under this name. */
  readonly reasoning_content?: string;
  /** The `extra_content` of calls, by their places in the answer. */
  readonly extra_content?: JsonObject;
}

/** What this client left with an answer; empty for another shape or another client. */
export function replayedAnswer({ replay }: Extract<ModelMessage, { role: 'assistant' }>): ReplayedAnswer {
  const answer = replay?.[REPLAY_KEY];
  if (!isPlainObject(answer)) return {};
  const { reasoning_content: reasoning, extra_content: extra } = answer;
  return {
    ...(typeof reasoning === 'string' && { reasoning_content: reasoning }),
    ...(isPlainObject(extra) && { extra_content: extra }),
  };
}
