/** A proxy did not let a request through. */
export class ProxyError extends Error {
  constructor(
    readonly status: number,
    /** Names in lower case. */
    readonly headers: Readonly<Record<string, string | string[] | undefined>>,
  ) {
    super(`The proxy refused the connection with status ${status}`);
    this.name = 'ProxyError';
  }
}
