import type { Usage } from '../vocabulary.js';

const OPTIONAL_COUNTS = ['total_tokens', 'reasoning_tokens', 'cached_tokens'] as const;

/** The sum of usages; null when there is none. An optional count is present when any part has it. */
export function sumUsage(usages: Iterable<Usage | null>): Usage | null {
  let sum: { -readonly [Key in keyof Usage]: Usage[Key] } | null = null;
  for (const usage of usages) {
    if (!usage) continue;
    sum ??= { input_tokens: 0, output_tokens: 0 };
    sum.input_tokens += usage.input_tokens;
    sum.output_tokens += usage.output_tokens;
    for (const key of OPTIONAL_COUNTS) {
      const count = usage[key];
      if (count !== undefined) sum[key] = (sum[key] ?? 0) + count;
    }
  }
  return sum;
}
