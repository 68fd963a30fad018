const LONGEST_TAG = 35;

/** Normalizes a BCP 47 language tag (`zh-CN`); undefined if it is not valid. */
export function localeTag(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > LONGEST_TAG) return undefined;
  try {
    return Intl.getCanonicalLocales(value)[0];
  } catch {
    return undefined;
  }
}

/** Most languages of a header that are read. */
const MOST_LANGUAGES = 32;

/**
 * The preferred language tag of an Accept-Language header (RFC 9110, section 12.5.4): the one with the highest
 * weight, and the first of several. Undefined if the header contains no valid tag.
 */
export function acceptedLocale(header: string | undefined): string | undefined {
  const ranges = (header ?? '').split(',', MOST_LANGUAGES).flatMap((part) => {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim());
    const tag = range === '*' ? undefined : localeTag(range);
    const weight = weightOf(parameters);
    return tag !== undefined && weight > 0 ? [{ tag, weight }] : [];
  });
  const most = Math.max(...ranges.map(({ weight }) => weight));
  return ranges.find(({ weight }) => weight === most)?.tag;
}

/** The weight of a language: 1 by default, 0 if it is not valid. */
function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((text) => /^q\s*=/i.test(text));
  if (weight === undefined) return 1;
  const value = weight.slice(weight.indexOf('=') + 1).trim();
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(value) ? Number(value) : 0;
}
