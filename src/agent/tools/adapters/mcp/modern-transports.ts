import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { isPlainObject, parsedJson } from '../../../../common/index.js';
import type { McpTransportConfig } from '../../mcp/mcp-servers.js';
import { exactFetch } from './exact-fetch.js';
import type { ExchangeOptions, ModernChannel, ServerMessage } from './modern-channel.js';
import { describedHeaders, describedParams } from './modern-message.js';
import type { StdioTransport } from './stdio-transport.js';

/** A request that waits for its answer. */
interface Waiting {
  readonly resolve: (message: ServerMessage) => void;
  readonly reject: (error: Error) => void;
  readonly onNotification: ExchangeOptions['onNotification'];
  /** The token of its progress notifications. */
  readonly token: unknown;
}

/** Requests of the modern revision to a process, over its input and output. */
export class ModernStdio implements ModernChannel {
  private lastId = 0;
  private readonly waiting = new Map<number, Waiting>();

  /** @param transport started; @param onClosed called when the process has ended */
  constructor(
    private readonly transport: StdioTransport,
    onClosed: () => void,
  ) {
    transport.onmessage = (message) => this.received(message);
    transport.onerror = () => undefined;
    transport.onclose = () => {
      for (const { reject } of this.waiting.values()) reject(closed());
      this.waiting.clear();
      onClosed();
    };
  }

  async exchange(
    method: string,
    params: Readonly<Record<string, unknown>>,
    { signal, onNotification }: ExchangeOptions,
  ): Promise<ServerMessage> {
    signal.throwIfAborted();
    const id = (this.lastId += 1);
    const meta = params['_meta'] as Readonly<Record<string, unknown>> | undefined;
    let abort = (): void => undefined;
    try {
      return await new Promise<ServerMessage>((resolve, reject) => {
        abort = () => {
          reject(signal.reason as Error);
          this.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
        };
        signal.addEventListener('abort', abort, { once: true });
        this.waiting.set(id, { resolve, reject, onNotification, token: meta?.['progressToken'] });
        this.transport
          .send({ jsonrpc: '2.0', id, method, params: { ...describedParams(params) } } as never)
          .catch((error: unknown) => reject(error instanceof Error ? error : new Error(String(error))));
      });
    } finally {
      signal.removeEventListener('abort', abort);
      this.waiting.delete(id);
    }
  }

  close(): Promise<void> {
    return this.transport.close();
  }

  private send(message: object): void {
    this.transport.send(message as never).catch(() => undefined);
  }

  private received(message: ServerMessage): void {
    const { id, method, params } = message;
    if (typeof id === 'number' && method === undefined) {
      this.waiting.get(id)?.resolve(message);
      return;
    }
    if (id !== undefined) return;
    const token = (params as Readonly<Record<string, unknown>> | undefined)?.['progressToken'];
    for (const one of this.waiting.values()) {
      if (token === undefined || token === one.token) one.onNotification?.(message);
    }
  }
}

function closed(): McpError {
  return new McpError(ErrorCode.ConnectionClosed, 'Connection closed');
}

/** The longest answer that is read of an error, in characters. */
const ERROR_LIMIT = 10_000;

/** Requests of the modern revision over HTTP: each is a POST of its own, whose connection ends with it. */
export class ModernHttp implements ModernChannel {
  private lastId = 0;
  private readonly closing = new AbortController();

  constructor(private readonly config: Extract<McpTransportConfig, { kind: 'http' }>) {}

  async exchange(
    method: string,
    params: Readonly<Record<string, unknown>>,
    { signal, mirrored, onNotification }: ExchangeOptions,
  ): Promise<ServerMessage> {
    const id = (this.lastId += 1);
    const response = await exactFetch(this.config.url, {
      method: 'POST',
      headers: {
        ...this.config.headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...describedHeaders(method, params, mirrored),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params: describedParams(params) }),
      // The headers are for this address alone.
      redirect: 'manual',
      signal: AbortSignal.any([signal, this.closing.signal]),
    });
    const type = response.headers.get('content-type') ?? '';
    if (response.ok && /^text\/event-stream\b/i.test(type)) return this.streamed(response, id, onNotification);
    const text = await response.text();
    const message = parsedJson(text);
    if (isPlainObject(message) && ('result' in message || 'error' in message)) return message;
    throw new StreamableHTTPError(response.status, text.slice(0, ERROR_LIMIT) || `The status is ${response.status}`);
  }

  close(): Promise<void> {
    this.closing.abort(new Error('The connection was closed'));
    return Promise.resolve();
  }

  private async streamed(
    response: Response,
    id: number,
    onNotification: ExchangeOptions['onNotification'],
  ): Promise<ServerMessage> {
    for await (const data of eventsOf(response)) {
      const message = parsedJson(data);
      if (!isPlainObject(message)) continue;
      if (message['id'] === id && ('result' in message || 'error' in message)) {
        void response.body?.cancel().catch(() => undefined);
        return message;
      }
      if (message['id'] === undefined) onNotification?.(message);
    }
    throw new Error('The stream of the answer has ended before the answer');
  }
}

/** The data of the events of a stream. */
async function* eventsOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let data: string[] = [];
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r/);
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      if (line !== '' || data.length === 0) continue;
      yield data.join('\n');
      data = [];
    }
  }
}
