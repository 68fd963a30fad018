import type { Json, JsonObject } from '../../common/index.js';
import type { OutputItem } from './items/item.types.js';

/** The statuses of a response. */
export type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'failed' | 'incomplete' | 'cancelled';

/** What a response repeats of its request, every key present (contract responses, section A3). */
export interface ResponseEcho {
  /** True if the request was accepted without waiting for its result. */
  readonly background: boolean;
  /** The system prompt of this request only; not kept for requests that continue from it. */
  readonly instructions: string | null;
  /** Null without a limit. */
  readonly max_output_tokens: number | null;
  readonly max_tool_calls: number | null;
  /** The name that the request gave, even if another agent answers. */
  readonly model: string;
  /** False: the model makes at most one call in an answer. */
  readonly parallel_tool_calls: boolean;
  /** Null unless the request named one. */
  readonly previous_response_id: string | null;
  /** The conversation that the request named; for runs of other wires, their session. */
  readonly conversation: { readonly id: string } | null;
  readonly prompt_cache_key: string | null;
  readonly reasoning: { readonly effort: string | null; readonly summary: string | null };
  readonly safety_identifier: string | null;
  readonly service_tier: string;
  /** False: the response cannot be retrieved (contract responses, section A8). */
  readonly store: boolean;
  readonly temperature: number;
  readonly text: { readonly format: JsonObject; readonly verbosity: string };
  /** A mode, or an object that names a tool. */
  readonly tool_choice: Json;
  /** Without credentials. Functions have `description`, `parameters` and `strict`, which can be null. */
  readonly tools: readonly JsonObject[];
  readonly top_logprobs: number;
  readonly top_p: number;
  readonly presence_penalty: number;
  readonly frequency_penalty: number;
  readonly truncation: string;
  /** The client's name for the user. */
  readonly user: string | null;
  /** At most 16 entries. */
  readonly metadata: JsonObject;
}

/** Numbers of tokens, always with both details. */
export interface ResponseUsage {
  readonly input_tokens: number;
  /** Tokens that the provider read from its cache; they are included in `input_tokens`. */
  readonly input_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number };
  readonly output_tokens: number;
  /** Tokens of reasoning; they are included in `output_tokens`. */
  readonly output_tokens_details: { readonly reasoning_tokens: number };
  /** As the provider reports it, otherwise the sum of input and output. */
  readonly total_tokens: number;
}

/** Why a response failed. Some clients require `type`. */
export interface ResponseError {
  readonly type: string;
  /** A code of this wire, in lower case. */
  readonly code: string;
  readonly message: string;
  /** The path of the invalid field; null if the error concerns no field. */
  readonly param: string | null;
}

/** A response, as JSON and in the events of a stream. Times are whole seconds. */
export interface ResponseObject extends ResponseEcho {
  readonly id: string;
  readonly object: 'response';
  /** Seconds since the epoch. */
  readonly created_at: number;
  /** Seconds since the epoch; null unless the status is `completed`. */
  readonly completed_at: number | null;
  readonly status: ResponseStatus;
  /** Null unless the status is `failed`: SDKs treat any other value as an error. */
  readonly error: ResponseError | null;
  /** The reason is `max_output_tokens`, `content_filter` or `max_tool_calls`. */
  readonly incomplete_details: { readonly reason: string } | null;
  /** The items so far; all of them once the response has ended. */
  readonly output: readonly OutputItem[];
  /** Null until the end. */
  readonly usage: ResponseUsage | null;
}
