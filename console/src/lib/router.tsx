import { type AnchorHTMLAttributes, type ReactNode, useMemo, useSyncExternalStore } from 'react';

/**
 * Where the console is, kept in the fragment of the address: the page is one file that works below any prefix, and
 * the server has no routes of the console.
 */
export interface Place {
  /** The parts of the path, decoded: `#/runs/r1` is `['runs', 'r1']`. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
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

/** The present place. The component is rendered again when it changes. */
export function usePlace(): Place {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  return useMemo(() => placeOf(hash), [hash]);
}

/** The fragment of a place. Empty values of the query are left out. */
export function hrefOf(path: readonly string[], query: Readonly<Record<string, string | undefined>> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value);
  const text = search.toString();
  return `#/${path.map(encodeURIComponent).join('/')}${text ? `?${text}` : ''}`;
}

/** Goes to a place; `replace` leaves no entry in the history. */
export function go(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (href === window.location.hash) return;
  if (replace) {
    history.replaceState(null, '', href);
    window.dispatchEvent(new HashChangeEvent('hashchange'));
  } else window.location.hash = href;
}

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly to: string;
  readonly children: ReactNode;
}

/** A link to a place of the console. */
export function Link({ to, children, ...rest }: LinkProps): ReactNode {
  return (
    <a href={to} {...rest}>
      {children}
    </a>
  );
}
