import type { Json, JsonObject } from '../../common/index.js';
import type { OutputItem } from './items/item.types.js';

/** The statuses of a response. */
export type ResponseStatus = 'queued' | 'in_progress' | 'completed' | 'failed' | 'incomplete' | 'cancelled';

/** What a response repeats of its request, every key present (contract responses, section A3). */
export interface ResponseEcho {
  readonly background: boolean;
  readonly instructions: string | null;
  readonly max_output_tokens: number | null;
  readonly max_tool_calls: number | null;
  readonly model: string;
  readonly parallel_tool_calls: boolean;
  readonly previous_response_id: string | null;
  readonly conversation: { readonly id: string } | null;
  readonly prompt_cache_key: string | null;
  readonly reasoning: { readonly effort: string | null; readonly summary: string | null };
  readonly safety_identifier: string | null;
  readonly service_tier: string;
  readonly store: boolean;
  readonly temperature: number;
  readonly text: { readonly format: JsonObject; readonly verbosity: string };
  readonly tool_choice: Json;
  readonly tools: readonly JsonObject[];
  readonly top_logprobs: number;
  readonly top_p: number;
  readonly presence_penalty: number;
  readonly frequency_penalty: number;
  readonly truncation: string;
  readonly user: string | null;
  readonly metadata: JsonObject;
}

/** Numbers of tokens, always with both details. */
export interface ResponseUsage {
  readonly input_tokens: number;
  readonly input_tokens_details: { readonly cached_tokens: number; readonly cache_write_tokens: number };
  readonly output_tokens: number;
  readonly output_tokens_details: { readonly reasoning_tokens: number };
  readonly total_tokens: number;
}

/** Why a response failed. Some clients require `type`. */
export interface ResponseError {
  readonly type: string;
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
}

/** A response, as JSON and in the events of a stream. Times are whole seconds. */
export interface ResponseObject extends ResponseEcho {
  readonly id: string;
  readonly object: 'response';
  readonly created_at: number;
  readonly completed_at: number | null;
  readonly status: ResponseStatus;
  readonly error: ResponseError | null;
  readonly incomplete_details: { readonly reason: string } | null;
  readonly output: readonly OutputItem[];
  readonly usage: ResponseUsage | null;
}
