import type { OutputItem } from './items/item.types.js';
import type { ResponseEcho } from './request/options.js';

export type { ResponseEcho };

/** The statuses of a response. */
export type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'failed' | 'incomplete' | 'cancelled';

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
