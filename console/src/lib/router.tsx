import { type AnchorHTMLAttributes, type ReactNode, useMemo, useSyncExternalStore } from 'react';
import { type Place, placeOf } from './place.js';

export { hrefOf } from './place.js';

function subscribe(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

/** The present place. The component is rendered again when it changes. */
export function usePlace(): Place {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash);
  return useMemo(() => placeOf(hash), [hash]);
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
