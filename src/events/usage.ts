import type { Usage } from './agent-objects.js';

/** The tokens of two parts together; a part of which nothing is known adds nothing. */
export function summedUsage(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (!a || !b) return a ?? b;
  const reasoning = summed(a.reasoning_tokens, b.reasoning_tokens);
  const cached = summed(a.cached_tokens, b.cached_tokens);
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    total_tokens: totalOf(a) + totalOf(b),
    ...(reasoning !== undefined && { reasoning_tokens: reasoning }),
    ...(cached !== undefined && { cached_tokens: cached }),
  };
}

function totalOf({ total_tokens: total, input_tokens: input, output_tokens: output }: Usage): number {
  return total ?? input + output;
}

function summed(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined && b === undefined ? undefined : (a ?? 0) + (b ?? 0);
}
