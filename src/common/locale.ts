const LONGEST_TAG = 35;

/** A BCP 47 language tag in its usual letter case (`zh-CN`), or undefined for anything else. */
export function localeTag(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > LONGEST_TAG) return undefined;
  try {
    return Intl.getCanonicalLocales(value)[0];
  } catch {
    return undefined;
  }
}

/** Languages that are looked at in a header. */
const MOST_LANGUAGES = 32;

/**
 * The language tag that an Accept-Language header prefers (RFC 9110, section 12.5.4): the one of the
 * greatest weight, the first of several. Undefined when it names none, or none that is well-formed.
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

/** 1 unless said; 0 for a weight that is none. */
function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((text) => /^q\s*=/i.test(text));
  if (weight === undefined) return 1;
  const value = weight.slice(weight.indexOf('=') + 1).trim();
  return /^(0(\.\d{0,3})?|1(\.0{0,3})?)$/.test(value) ? Number(value) : 0;
}
