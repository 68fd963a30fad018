/**
 * Where the console is, kept in the fragment of the address: the page is one file that works below any prefix, and
 * the server has no routes of the console.
 */
export interface Place {
  /** The parts of the path, decoded: `#/runs/r1` is `['runs', 'r1']`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** Reads a fragment such as `#/runs/r1?status=failed`. */
export function placeOf(hash: string): Place {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  return { path: path.split('/').filter(Boolean).map(decodePart), query: new URLSearchParams(query) };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The fragment of a place. Empty values of the query are left out. */
export function hrefOf(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
  const text = search.toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`;
}
