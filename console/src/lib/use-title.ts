import { useEffect } from 'react';

const PRODUCT = 'Parley';

/** The title of the window, with the name of the product. Undefined leaves it as it is. */
export function titled(title: string | undefined): void {
  if (title !== undefined) document.title = title === '' ? PRODUCT : `${title} · ${PRODUCT}`;
}

/** Names the window while the component is shown; a page that shows one thing names it. */
export function useTitle(title: string | undefined): void {
  useEffect(() => titled(title), [title]);
}
