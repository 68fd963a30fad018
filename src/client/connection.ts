import { ParleyError } from './parley-error.js';
import { readSse, type SseBlock } from './sse.js';

/** How a client reaches its server. */
export interface ClientOptions {
  /** The address of the server, with the base path of an embedded one. */
  readonly baseUrl: string;
  /** An API key or a token; a function is called for each request, so that a token can be renewed. */
  readonly credential?: string | (() => string | Promise<string>);
  /** The user that requests act for, with a credential that may act for several users, or without authentication. */
  readonly user?: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For how long requests and streams try again while the server cannot be reached, in milliseconds. Default two minutes. */
  readonly outageMs?: number;
  /** After how many milliseconds without a byte a stream is taken for cut. Default 45,000, three keep-alives of the server. */
  readonly silenceMs?: number;
  /** Default: the `fetch` of the platform. */
  readonly fetch?: typeof fetch;
}

/** What one request says besides its path. */
export interface Ask {
  readonly method?: string;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON, or as it is if it is a form. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** False for a request that would do something twice: it is not sent again if its answer is lost. */
  readonly repeatable?: boolean;
}

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5000;

/** Requests that are repeated while the server cannot be reached, and streams that continue after every cut. */
export class Connection {
  constructor(private readonly options: ClientOptions) {}

  /** The JSON of the answer. @throws ParleyError; the reason of the signal */
  async json<T>(path: string, ask: Ask = {}): Promise<T> {
    return this.persist(ask, async () => {
      const response = await this.send(path, ask, ask.signal);
      return (response.status === 204 ? undefined : await response.json()) as T;
    });
  }

  /**
   * The blocks of an event stream, each once and in order, until the server says that there are no more. A stream that is
   * cut is opened again after the id of its last block.
   *
   * @throws ParleyError; the reason of the signal
   */
  async *stream(path: string, ask: Ask, after?: string): AsyncGenerator<SseBlock & { id: string }, void, void> {
    let cursor = after;
    let pauseMs = 0;
    for (;;) {
      await pause(pauseMs, ask.signal);
      const headers: Record<string, string> = cursor === undefined ? {} : { 'last-event-id': cursor };
      const cut = new AbortController();
      const signal = ask.signal ? AbortSignal.any([ask.signal, cut.signal]) : cut.signal;
      const response = await this.persist(ask, () => this.send(path, { ...ask, headers }, signal));
      if (response.status === 204 || !response.body) return;
      pauseMs = FIRST_PAUSE_MS;
      try {
        for await (const block of readSse(response.body, this.options.silenceMs)) {
          if (block.retry !== undefined) pauseMs = Math.min(block.retry, LONGEST_PAUSE_MS);
          if (block.id === undefined || block.data === '') continue;
          cursor = block.id;
          yield { ...block, id: block.id };
        }
      } catch (error) {
        ask.signal?.throwIfAborted();
        // Bad data is no cut: it would come again.
        if (error instanceof ParleyError) throw error;
      } finally {
        cut.abort();
      }
    }
  }

  /** Tries until it succeeds, or until the server was away for too long. */
  private async persist<T>({ signal, repeatable = true }: Ask, attempt: () => Promise<T>): Promise<T> {
    const deadline = Date.now() + (this.options.outageMs ?? 120_000);
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        return await attempt();
      } catch (thrown) {
        signal?.throwIfAborted();
        const error = thrown instanceof ParleyError ? thrown : unreachable(thrown);
        // A refusal has changed nothing; without an answer nobody knows.
        const isSafe = repeatable || error.status === 429 || error.status === 503;
        const wait = error.retryAfterMs ?? pauseMs * (0.5 + Math.random() / 2);
        if (!error.isPassing || !isSafe || Date.now() + wait > deadline) throw error;
        await pause(wait, signal);
      }
    }
  }

  private async send(path: string, ask: Ask, signal: AbortSignal | undefined): Promise<Response> {
    const { baseUrl, credential, user, headers, fetch: send = fetch } = this.options;
    const url = new URL(`${baseUrl.replace(/\/+$/, '')}/${path}`);
    for (const [name, value] of Object.entries(ask.query ?? {}))
      if (value !== undefined) url.searchParams.set(name, String(value));
    const token = typeof credential === 'function' ? await credential() : credential;
    const isForm = ask.body instanceof FormData;
    const response = await send(url, {
      method: ask.method ?? (ask.body === undefined ? 'GET' : 'POST'),
      headers: {
        ...headers,
        ...ask.headers,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(user !== undefined && { 'x-user-id': String.fromCharCode(...new TextEncoder().encode(user)) }),
        ...(ask.body !== undefined && !isForm && { 'content-type': 'application/json' }),
      },
      ...(ask.body !== undefined && { body: isForm ? ask.body : JSON.stringify(ask.body) }),
      ...(signal && { signal }),
    });
    if (!response.ok) throw await ParleyError.of(response);
    return response;
  }
}

function unreachable(cause: unknown): ParleyError {
  const message = `The server cannot be reached: ${cause instanceof Error ? cause.message : String(cause)}`;
  return new ParleyError('connection_failed', message, 0, { cause });
}

/** @throws the reason of the signal */
function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, milliseconds);
    const stop = (): void => {
      clearTimeout(timer);
      // The reason is whatever the caller has chosen.
      // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', stop, { once: true });
  });
}
