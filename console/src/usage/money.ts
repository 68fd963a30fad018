/** The parts of a unit that costs are counted in. */
const BILLION = 1_000_000_000;
/** A price per token in billionths is one per million tokens in thousandths. */
const PER_MILLION = 1000;

/** A cost in its currency, such as `1.25 USD`; small ones with as many digits as they need. */
export function money(billionths: number, currency: string): string {
  const units = billionths / BILLION;
  const digits = units !== 0 && Math.abs(units) < 0.01 ? { maximumSignificantDigits: 3 } : { maximumFractionDigits: 2 };
  return `${new Intl.NumberFormat('en', digits).format(units)} ${currency}`;
}

/** The billionths of a number of units as a person types it; undefined if it is none. */
export function billionths(text: string): number | undefined {
  const units = Number(text);
  return text.trim() === '' || !Number.isFinite(units) || units < 0 ? undefined : Math.round(units * BILLION);
}

/** A price of a token as that of a million tokens. */
export function perMillion(price: number): string {
  return String(price / PER_MILLION);
}

/** The price of a token for one of a million tokens, as a person types it; undefined if it is none. */
export function perToken(text: string): number | undefined {
  const price = Number(text);
  return text.trim() === '' || !Number.isFinite(price) || price < 0 ? undefined : Math.round(price * PER_MILLION);
}
