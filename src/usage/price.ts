import { matchesGlob } from '../common/index.js';
import type { Usage } from '../events/index.js';

/** The tenant of prices that apply to all tenants without prices of their own. */
export const INSTALLATION = '*';

/** What one model call used, in tokens. */
export interface CountedTokens {
  /** With those that were cached. */
  readonly input: number;
  readonly cachedInput: number;
  /** With those of reasoning. */
  readonly output: number;
  readonly reasoning: number;
}

/** What calls of some models cost, in billionths of the currency's unit: whole numbers (contract access, section 7.1). */
export interface PriceTerms {
  /** A pattern of names of models, in which `*` stands for any characters. */
  readonly model: string;
  /** Null: of any provider. */
  readonly provider: string | null;
  /** Milliseconds since the epoch. */
  readonly validFrom: number;
  /** Of one token of the input. */
  readonly input: number;
  /** Of one token of the input that the provider had cached. */
  readonly cachedInput: number;
  /** Of one token of the output. */
  readonly output: number;
  /** Of one token of the output that was reasoning. */
  readonly reasoning: number;
  /** Of each call. */
  readonly perCall: number;
  /** The most tokens of an answer of the model; null if it is not known. */
  readonly maxOutput: number | null;
}

/** One version of a price: it is never changed. */
export interface Price extends PriceTerms {
  readonly rowId: number;
  /** `INSTALLATION`, or the tenant that it is for. */
  readonly tenantId: string;
  readonly createdAt: number;
}

/** The tokens of a usage. Parts are not greater than the whole. */
export function countedTokens({ input_tokens, output_tokens, cached_tokens, reasoning_tokens }: Usage): CountedTokens {
  const input = count(input_tokens);
  const output = count(output_tokens);
  return {
    input,
    cachedInput: Math.min(input, count(cached_tokens)),
    output,
    reasoning: Math.min(output, count(reasoning_tokens)),
  };
}

/** What a call costs, in billionths; 0 without a price. */
export function costOf(price: PriceTerms | undefined, tokens: CountedTokens): number {
  if (!price) return 0;
  const cost =
    (tokens.input - tokens.cachedInput) * price.input +
    tokens.cachedInput * price.cachedInput +
    (tokens.output - tokens.reasoning) * price.output +
    tokens.reasoning * price.reasoning +
    price.perCall;
  return Math.min(cost, Number.MAX_SAFE_INTEGER);
}

/** What a token of an answer may cost at most. */
export function dearestOutput({ output, reasoning }: PriceTerms): number {
  return Math.max(output, reasoning);
}

/**
 * The price of a call: of those that are for the model and valid, one of the tenant precedes those of the installation, a
 * name precedes patterns, a longer pattern a shorter one, one for the provider those for any, and a newer version an older
 * one.
 *
 * @param now milliseconds since the epoch
 */
export function priceFor(
  prices: readonly Price[],
  model: string,
  provider: string | undefined,
  now: number,
): Price | undefined {
  let best: Price | undefined;
  for (const price of prices) {
    if (price.validFrom > now || (price.provider !== null && price.provider !== provider)) continue;
    if (!matchesGlob(price.model, model, { question: false })) continue;
    if (!best || precedes(price, best)) best = price;
  }
  return best;
}

function precedes(one: Price, other: Price): boolean {
  const [a, b] = [rank(one), rank(other)];
  const at = a.findIndex((value, index) => value !== b[index]);
  return at >= 0 && (a[at] ?? 0) > (b[at] ?? 0);
}

function rank({ tenantId, model, provider, validFrom, rowId }: Price): readonly number[] {
  const isOwn = tenantId === INSTALLATION ? 0 : 1;
  return [isOwn, model.includes('*') ? 0 : 1, model.length, provider === null ? 0 : 1, validFrom, rowId];
}

function count(value: number | undefined): number {
  return value !== undefined && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
