import { urlOf } from '../api/client.js';

const ATTACHMENT = /\/(api\/v1\/agent\/attachments\/[0-9a-f-]{36}\/content\?[^#]*)$/;

/**
 * The address at which the page may load an image; undefined if it may not. Attachments are addressed by the public
 * name of the server, which need not be the one of the page.
 */
export function shownAt(url: string): string | undefined {
  if (/^(data:image\/|blob:)/i.test(url)) return url;
  const [, attachment] = ATTACHMENT.exec(url) ?? [];
  if (attachment !== undefined) return urlOf(attachment).href;
  return url.startsWith(`${window.location.origin}/`) ? url : undefined;
}
