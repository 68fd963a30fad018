import type { Json } from '../../../common/index.js';

/**
 * JSON in the canonical form of RFC 8785: the members of objects in the order of their UTF-16 names. Numbers and texts
 * are those of `JSON.stringify`, as the RFC wants.
 */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const names = Object.keys(value).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name] ?? null)}`).join(',')}}`;
}

/** The value without anything empty: no `""`, `[]`, `{}`, `false` and `null`. Undefined if nothing is left. */
export function withoutEmpty(value: Json): Json | undefined {
  if (value === null || value === false || value === '') return undefined;
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length > 0 ? items : undefined;
  }
  if (typeof value !== 'object') return value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    const kept = withoutEmpty(member ?? null);
    return kept === undefined ? [] : [[name, kept] as const];
  });
  return members.length > 0 ? Object.fromEntries(members) : undefined;
}
