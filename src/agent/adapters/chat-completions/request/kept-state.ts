import { isPlainObject, type Json } from '../../../../common/index.js';
import type { ModelMessage } from '../../../ports/model-client.js';
import { type ProviderCall, type ProviderState, providerStateIn } from '../provider-state.js';

type Answer = Extract<ModelMessage, { role: 'assistant' }>;

/** The key of earlier versions, whose state had no origin. */
const FORMER_KEY = 'chat_completions';

/** What a server gave with an answer; undefined if it was another server, or gave nothing. */
export function keptState(answer: Answer, origin: string): ProviderState | undefined {
  const { replay } = answer;
  if (replay === undefined) return undefined;
  const state = providerStateIn(replay);
  if (state) return state.origin === origin ? state : undefined;
  return formerState(answer, replay[FORMER_KEY], origin);
}

/** The state of a conversation that has waited since before the server was updated. */
function formerState({ toolCalls }: Answer, value: unknown, origin: string): ProviderState | undefined {
  if (!isPlainObject(value)) return undefined;
  const { reasoning_content: text, extra_content: extras } = value;
  const calls = toolCalls.flatMap(({ id }, place): [string, ProviderCall][] => {
    const extra = isPlainObject(extras) ? (extras[String(place)] as Json | undefined) : undefined;
    return extra === undefined ? [] : [[id, { place, extra: { extra_content: extra } }]];
  });
  return {
    origin,
    ...(typeof text === 'string' && { reasoning: { field: 'reasoning_content', text } }),
    calls: Object.fromEntries(calls),
  };
}
