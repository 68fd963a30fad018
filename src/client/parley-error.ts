/** What an error may have besides its code, message and status. */
export interface ParleyErrorOptions extends ErrorOptions {
  readonly details?: unknown;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/**
 * What every call of the client throws, except for an abort, which throws the reason of its signal.
 *
 * `code` is that of the server, such as `RUN_NOT_FOUND` or `too_many_messages`; `connection_failed` if it could not be
 * reached for as long as `outageMs`; or `http_<status>` if something else than Parley has answered.
 */
export class ParleyError extends Error {
  override readonly name = 'ParleyError';

  /** What else the server said, such as the violations of a request. */
  readonly details: unknown;
  /** For the log of the server. */
  readonly requestId: string | undefined;
  /** How long the server asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    readonly code: string,
    message: string,
    /** The status of the response; 0 without one. */
    readonly status: number,
    { details, requestId, retryAfterMs, ...options }: ParleyErrorOptions = {},
  ) {
    super(message, options);
    this.details = details;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same request may succeed later: no connection, too many requests, or a server that cannot answer now. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500;
  }

  /** The error of a response, in the form of whichever wire answered. */
  static async of(response: Response): Promise<ParleyError> {
    const { status, headers } = response;
    const body = objectOf(await response.json().catch(() => undefined));
    const inner = 'error' in body ? objectOf(body['error']) : body;
    const [code, message] = [inner['code'] ?? body['code'], inner['message'] ?? body['message']];
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    return new ParleyError(
      typeof code === 'string' ? code : `http_${status}`,
      typeof message === 'string' ? message : `The server answered with status ${status}`,
      status,
      {
        details: inner['details'],
        requestId: headers.get('x-request-id') ?? undefined,
        retryAfterMs: Number.isFinite(seconds) ? seconds * 1000 : undefined,
      },
    );
  }
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
