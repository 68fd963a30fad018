import type { ResponseInfo } from '../response-info.js';
import { responseObject } from '../response-object.js';
import type { ResponseUsage } from '../response.types.js';
import { EventOut, type ResponseEvent } from './event-out.js';

const NOTHING: ResponseUsage = {
  input_tokens: 0,
  input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  output_tokens: 0,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 0,
};

/** The stream of a response for which nothing was generated (contract responses, section A6). */
export function preparedEvents(info: ResponseInfo): readonly ResponseEvent[] {
  const out = new EventOut();
  const response = responseObject(info, { status: 'in_progress' });
  out.write('response.created', { response });
  out.write('response.in_progress', { response });
  const over = { status: 'completed', completedAt: info.createdAt, usage: NOTHING } as const;
  out.write('response.completed', { response: responseObject(info, over) });
  return out.take();
}
