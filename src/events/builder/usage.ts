import type { Usage } from '../vocabulary.js';

const OPTIONAL_COUNTS = ['reasoning_tokens', 'cached_tokens'] as const;

type Sum = { -readonly [Key in keyof Usage]: Usage[Key] };

/**
 * The sum of usages; null when there is none. An optional count is present when any part has it; the
 * total of a part that does not tell it is what it takes and gives.
 */
export function sumUsage(usages: Iterable<Usage | null>): Usage | null {
  let sum: Sum | null = null;
  let total = 0;
  let hasTotal = false;
  for (const usage of usages) {
    if (!usage) continue;
    sum ??= { input_tokens: 0, output_tokens: 0 };
    add(sum, usage);
    total += usage.total_tokens ?? usage.input_tokens + usage.output_tokens;
    hasTotal ||= usage.total_tokens !== undefined;
  }
  return sum && hasTotal ? { ...sum, total_tokens: total } : sum;
}

function add(sum: Sum, usage: Usage): void {
  sum.input_tokens += usage.input_tokens;
  sum.output_tokens += usage.output_tokens;
  for (const key of OPTIONAL_COUNTS) {
    const count = usage[key];
    if (count !== undefined) sum[key] = (sum[key] ?? 0) + count;
  }
}
