import type { Message } from './agent-objects.js';

/**
 * The limits at which a model stops in the middle of its output. A run that ends at one is `incomplete`, with the limit
 * as the code of its error; the messages that were cut are `incomplete`, with the limit as their `code` (contract
 * agent-api, section a.3).
 */
export const OUTPUT_LIMITS = ['max_output_tokens', 'content_filter'] as const;
/** A limit at which a model stops in the middle of its output. */
export type OutputLimit = (typeof OUTPUT_LIMITS)[number];

/** True for the code of such a limit. */
export function isOutputLimit(code: unknown): code is OutputLimit {
  return (OUTPUT_LIMITS as readonly unknown[]).includes(code);
}

/** True for a message that a limit has cut. Other incomplete messages were left open when their run ended. */
export function isCutByLimit({ status, code }: Pick<Message, 'status' | 'code'>): boolean {
  return status === 'incomplete' && isOutputLimit(code);
}
