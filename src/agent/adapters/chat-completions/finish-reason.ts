import type { ModelFinishReason } from '../../ports/model-client.js';
import { UpstreamStreamError } from '../upstream/upstream-error.js';

/** How an answer ended: with this reason, or by a fault of the server or of the model. */
export type Ending = ModelFinishReason | 'fault';

/** The reasons of the original API and those of servers that imitate it, in lower case. */
const ENDINGS: ReadonlyMap<string, Ending> = new Map(
  Object.entries<readonly string[]>({
    stop: ['stop', 'eos', 'eos_token', 'end_turn', 'stop_sequence', 'complete', 'completed', 'finished', 'done'],
    length: [
      'length',
      'max_tokens',
      'max_output_tokens',
      'max_completion_tokens',
      'model_length',
      'max_length',
      'model_context_window_exceeded',
      'context_length',
      'context_length_exceeded',
    ],
    'tool-calls': ['tool_calls', 'tool_call', 'tool_use', 'function_call'],
    'content-filter': [
      'content_filter',
      'content_filtered',
      'safety',
      'sensitive',
      'refusal',
      'recitation',
      'blocklist',
      'prohibited_content',
      'spii',
      'image_safety',
      'guardrail_intervened',
    ],
    fault: [
      'error',
      'abort',
      'aborted',
      'cancelled',
      'canceled',
      'failed',
      'timeout',
      'network_error',
      'server_error',
      'internal_error',
      'insufficient_system_resource',
      'malformed_function_call',
      'malformed_tool_call',
      'malformed_response',
      'unexpected_tool_call',
      'too_many_tool_calls',
      'missing_thought_signature',
    ],
  }).flatMap(([ending, reasons]) => reasons.map((reason) => [reason, ending as Ending] as const)),
);

/**
 * What a finish reason means (contract model-servers, section 2.2). Gemini puts its own reason behind that of the API,
 * as in `function_call_filter: MALFORMED_FUNCTION_CALL`: the last known one counts.
 */
export function endingOf(reason: string): Ending {
  const words = reason.toLowerCase().split(/[:\s]+/);
  return words.map((word) => ENDINGS.get(word)).findLast((ending) => ending !== undefined) ?? 'other';
}

/** The error of an answer that has ended by a fault. */
export function faultOf(reason: string): UpstreamStreamError {
  const cause = new Error(`The finish reason of the stream is ${reason}`);
  const isCall = /call|malformed/i.test(reason);
  const sentence = isCall ? 'The model made a call that cannot be read' : 'The model server broke off the answer';
  return new UpstreamStreamError(cause, sentence, true);
}
