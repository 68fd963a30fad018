import { z } from 'zod';
import type { PriceTerms } from './price.js';

/** The most of a token: a thousand units of the currency for a million tokens and more would be a mistake of the scale. */
const MOST_PER_TOKEN = 1_000_000_000;
const MOST_PER_CALL = 1_000_000_000_000_000;
const MOST_OUTPUT = 100_000_000;

const perToken = z.int().min(0).max(MOST_PER_TOKEN);
const moment = z
  .string()
  .max(64)
  .transform((text, context) => {
    const isDated = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
    const at = isDated ? Date.parse(text) : Number.NaN;
    if (!Number.isNaN(at)) return at;
    context.addIssue({ code: 'custom', message: 'must be a date such as 2026-11-26 or a time of RFC 3339' });
    return z.NEVER;
  });

const PRICE = z.strictObject({
  model: z.string().min(1).max(200),
  provider: z.string().min(1).max(64).nullish(),
  validFrom: moment.optional(),
  input: perToken,
  cachedInput: perToken.optional(),
  output: perToken,
  reasoning: perToken.optional(),
  perCall: z.int().min(0).max(MOST_PER_CALL).optional(),
  maxOutput: z.int().min(1).max(MOST_OUTPUT).nullish(),
});
const LIST = z.union([z.array(PRICE).max(10_000), z.strictObject({ prices: z.array(PRICE).max(10_000) })]);

/** Prices, or what is wrong with them. */
export type PriceReading = { readonly prices: readonly PriceTerms[] } | { readonly problem: string };

/** Reads a list of prices, or `{prices}`. One without `validFrom` holds from the beginning. */
export function priceList(value: unknown): PriceReading {
  const { success, data, error } = LIST.safeParse(value);
  if (!success) return { problem: z.prettifyError(error) };
  return { prices: ('prices' in data ? data.prices : data).map((price) => termsOf(price, 0)) };
}

/** Reads one price. @param now when it holds from without `validFrom`, in milliseconds since the epoch */
export function readPrice(value: unknown, now: number): PriceReading {
  const { success, data, error } = PRICE.safeParse(value);
  return success ? { prices: [termsOf(data, now)] } : { problem: z.prettifyError(error) };
}

function termsOf(price: z.infer<typeof PRICE>, validFrom: number): PriceTerms {
  return {
    model: price.model,
    provider: price.provider ?? null,
    validFrom: price.validFrom ?? validFrom,
    input: price.input,
    cachedInput: price.cachedInput ?? price.input,
    output: price.output,
    reasoning: price.reasoning ?? price.output,
    perCall: price.perCall ?? 0,
    maxOutput: price.maxOutput ?? null,
  };
}
