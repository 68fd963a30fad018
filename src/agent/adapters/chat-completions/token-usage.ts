import { isPlainObject } from '../../../common/index.js';
import type { Usage } from '../../../events/index.js';

type Fields = Readonly<Record<string, unknown>>;

/** The members of the usage that have details about the prompt and about the answer. */
const PROMPT_DETAILS = ['prompt_tokens_details', 'input_tokens_details'];
const ANSWER_DETAILS = ['completion_tokens_details', 'output_tokens_details'];

/**
 * The usage that a server reports, with cached and reasoning tokens in all places where servers have them. Undefined if
 * it names no tokens: then the usage is unknown, not 0.
 */
export function usageOf(raw: unknown): Usage | undefined {
  if (!isPlainObject(raw)) return undefined;
  const input = count(raw['prompt_tokens']) ?? count(raw['input_tokens']);
  const output = count(raw['completion_tokens']) ?? count(raw['output_tokens']);
  const total = count(raw['total_tokens']);
  if (input === undefined && output === undefined && total === undefined) return undefined;
  const reasoning = detail(raw, ANSWER_DETAILS, 'reasoning_tokens') ?? count(raw['reasoning_tokens']);
  const cached =
    detail(raw, PROMPT_DETAILS, 'cached_tokens') ??
    count(raw['cached_tokens']) ??
    count(raw['prompt_cache_hit_tokens']) ??
    count(raw['cache_read_input_tokens']);
  return {
    input_tokens: input ?? 0,
    output_tokens: output ?? 0,
    ...(total === undefined ? {} : { total_tokens: total }),
    ...(reasoning === undefined ? {} : { reasoning_tokens: reasoning }),
    ...(cached === undefined ? {} : { cached_tokens: cached }),
  };
}

function detail(usage: Fields, places: readonly string[], key: string): number | undefined {
  for (const place of places) {
    const details = usage[place];
    const found = isPlainObject(details) ? count(details[key]) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Undefined for what is no count of tokens: it counts as missing. */
function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
