import type { ReactNode } from 'react';
import { shownAt } from './image-address.js';

/**
 * An image of this server, or inline. Others are links: the page loads nothing from other origins, because a foreign
 * server would learn who looks at the answer.
 */
export function Picture({ url, alt }: { readonly url: string; readonly alt: string }): ReactNode {
  const shown = shownAt(url);
  if (shown !== undefined) return <img className="picture" src={shown} alt={alt} />;
  if (!/^https?:\/\//i.test(url)) return <span className="muted">{alt}</span>;
  return (
    <a href={url} target="_blank" rel="noreferrer noopener">
      Image: {alt}
    </a>
  );
}
