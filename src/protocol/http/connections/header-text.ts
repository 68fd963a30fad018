import type { IncomingHttpHeaders } from 'node:http';

/** Reads a header of a request by its name in lower case. Several values are separated by commas. */
export type HeaderReader = (name: string) => string | undefined;

/** The headers of a request. */
export function headerReader({ headers }: { readonly headers: IncomingHttpHeaders }): HeaderReader {
  return (name) => headers[name]?.toString();
}

/**
 * An id as the value of a header: as it is when headers can carry it, percent-encoded otherwise. A header that cannot be
 * written would break off the whole answer.
 */
export function headerText(id: string): string {
  return /^[\x21-\x7e]*$/.test(id) ? id : encodeURIComponent(Buffer.from(id).toString());
}
