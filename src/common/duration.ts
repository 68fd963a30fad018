const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a text such as `500ms`, `60s`, `10m`, `24h` or `7d`; undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim());
  const unit = match && UNITS[match[2] ?? ''];
  return match && unit !== undefined && unit !== null ? Number(match[1]) * unit : undefined;
}
