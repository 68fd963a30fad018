/**
 * An id as the value of a header: as it is when headers can carry it, percent-encoded otherwise. A header that cannot be
 * written would break off the whole answer.
 */
export function headerText(id: string): string {
  return /^[\x21-\x7e]*$/.test(id) ? id : encodeURIComponent(Buffer.from(id).toString());
}
