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
