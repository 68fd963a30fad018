/** Parameters that are numbers and flags: what is neither stays a text, which is refused where it is read. */
const NUMBERS: ReadonlySet<string> = new Set(['pageSize', 'page_size', 'historyLength', 'history_length']);
const FLAGS: ReadonlySet<string> = new Set(['includeArtifacts', 'include_artifacts']);

/** The parameters of a query as those of the method that the route stands for. */
export function queryParams(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, paramOf(name, value)]));
}

function paramOf(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (NUMBERS.has(name) && /^-?\d{1,15}$/.test(value)) return Number(value);
  if (FLAGS.has(name) && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}
