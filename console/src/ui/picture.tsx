import type { ReactNode } from 'react';
import { urlOf } from '../api/client.js';

const ATTACHMENT = /\/(api\/v1\/agent\/attachments\/[0-9a-f-]{36}\/content\?[^#]*)$/;

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

/** The address at which the page may load it. Attachments are addressed by the public name of the server. */
function shownAt(url: string): string | undefined {
  if (/^(data:image\/|blob:)/i.test(url)) return url;
  const [, attachment] = ATTACHMENT.exec(url) ?? [];
  if (attachment !== undefined) return urlOf(attachment).href;
  return url.startsWith(`${window.location.origin}/`) ? url : undefined;
}
