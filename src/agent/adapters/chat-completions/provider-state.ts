import { isPlainObject, type Json, type JsonObject } from '../../../common/index.js';
import type { ModelToolCall } from '../../ports/model-client.js';

/** The key of this client in the `replay` of an answer. */
export const PROVIDER_STATE_KEY = 'chat-completions';

/** The thoughts of an answer and the form in which they came. */
export interface ProviderReasoning {
  /**
   * The member of the answer that had them: `reasoning_content`, `reasoning` or `reasoning_text`; `content-parts` for
   * parts of the content, `tags` for text between tags.
   */
  readonly field: string;
  /** All thoughts as one text. */
  readonly text: string;
  /**
   * Of `content-parts`: the parts that are not text, in order, those that came in pieces put together. Of `tags`: one
   * text, the block at the beginning of the content exactly as it came, with its tags and the blanks around them.
   */
  readonly parts?: Json[];
}

/** What a server left with one call. */
export interface ProviderCall {
  /** The place of the call among those of its answer, from 0. */
  readonly place: number;
  /** The id that the server gave, if the call has another one: an earlier call had it. */
  readonly id?: string;
  /** Members of the call that are not part of the API, such as `extra_content`. */
  readonly extra?: JsonObject;
}

/**
 * What a model server gave with an answer and wants back in later requests, in its own form (contract model-servers,
 * section 2.1). It is opaque: nothing in it is translated, and another server never gets it.
 */
export interface ProviderState {
  /** The host of the base URL, with its port if it is not that of the scheme. */
  readonly origin: string;
  readonly reasoning?: ProviderReasoning;
  /** The `reasoning_details`, in order: texts that came in pieces are put together, encrypted ones are as they came. */
  readonly details?: Json[];
  /** The `thinking_blocks`, in order and put together. */
  readonly thinkingBlocks?: Json[];
  /** The `extra_content` of the message itself. */
  readonly extra?: JsonObject;
  /** By the ids of the calls; by their places, if the server gave no ids. Calls with nothing to keep are absent. */
  readonly calls?: Readonly<Record<string, ProviderCall>>;
}

/** The `replay` of an answer with this state. */
export function replayOf(state: ProviderState): JsonObject {
  // Its members are JSON: optional ones are absent, never undefined.
  return { [PROVIDER_STATE_KEY]: state as unknown as Json };
}

/** The state that this client left with an answer; undefined for another client's and for another shape. */
export function providerStateIn(replay: JsonObject | undefined): ProviderState | undefined {
  const state = replay?.[PROVIDER_STATE_KEY];
  return isPlainObject(state) && typeof state['origin'] === 'string' ? (state as unknown as ProviderState) : undefined;
}

/**
 * What the server left with a call of the answer. A call whose id was changed after it was read is found by its place.
 *
 * @param calls all calls of the answer, in order
 */
export function providerCallOf(
  { calls: kept = {} }: ProviderState,
  calls: readonly ModelToolCall[],
  place: number,
): ProviderCall | undefined {
  const id = calls[place]?.id;
  if (id !== undefined && Object.hasOwn(kept, id)) return kept[id];
  const known = new Set(calls.map((call) => call.id));
  return Object.entries(kept).find(([key, call]) => call.place === place && !known.has(key))?.[1];
}
