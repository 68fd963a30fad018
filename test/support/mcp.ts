import type { TestServer } from './server.js';

type Headers = Readonly<Record<string, string>>;
type Bag = Readonly<Record<string, unknown>>;

/** A block of a result. */
export interface ShownBlock {
  readonly type: string;
  readonly text?: string;
  readonly data?: string;
  readonly mimeType?: string;
  readonly uri?: string;
  readonly resource?: Bag;
}

/** The result of a call, as far as tests look into it. */
export interface ShownResult {
  readonly resultType?: string;
  readonly isError?: boolean;
  readonly content?: readonly ShownBlock[];
  readonly structuredContent?: {
    readonly status: string;
    readonly answer: string;
    readonly session_id: string;
    readonly run_id: string;
    readonly waiting_for?: readonly { readonly id: string; readonly kind: string; readonly tool_name?: string }[];
  };
  readonly inputRequests?: Readonly<Record<string, { readonly method: string; readonly params: Bag }>>;
  readonly requestState?: string;
  readonly taskId?: string;
  readonly status?: string;
  readonly result?: ShownResult;
  readonly tools?: readonly (Bag & { readonly name: string })[];
  readonly nextCursor?: string;
  readonly [name: string]: unknown;
}

/** A message of the server. */
export interface ShownMessage {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Bag;
  readonly result?: ShownResult;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Bag };
}

/** An event of a stream: its id and its message; the primer has none. */
export interface McpFrame {
  readonly id: string | undefined;
  readonly retry: string | undefined;
  readonly message: ShownMessage | undefined;
}

/** What modern requests say of themselves. */
export const MODERN = '2026-07-28';

/** `_meta` of a modern request. */
export function envelope(capabilities: object = {}, more: object = {}): object {
  return {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    ...more,
  };
}

/** A client of the wire that hides nothing. */
export class McpClient {
  private lastId = 0;
  /** The id of its session, once it has begun one. */
  session: string | undefined;
  version = '2025-11-25';

  constructor(
    private readonly server: Pick<TestServer, 'url'>,
    private readonly headers: Headers = {},
  ) {}

  /** A POST of anything. */
  post(body: unknown, headers: Headers = {}): Promise<Response> {
    return fetch(`${this.server.url}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...this.headers,
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  }

  /** Begins a session of the legacy era. */
  async initialize(capabilities: object = {}, version = this.version): Promise<ShownMessage> {
    const params = { protocolVersion: version, capabilities, clientInfo: { name: 'test', version: '1' } };
    const answer = await this.post({ jsonrpc: '2.0', id: 0, method: 'initialize', params });
    this.session = answer.headers.get('mcp-session-id') ?? undefined;
    this.version = version;
    return (await answer.json()) as ShownMessage;
  }

  /** What a request of the session has as headers. */
  get sessionHeaders(): Headers {
    return { 'mcp-session-id': this.session ?? '', 'mcp-protocol-version': this.version };
  }

  /** A request of the session, as the whole response. */
  request(
    method: string,
    params: object = {},
    id: string | number = (this.lastId += 1),
    headers: Headers = {},
  ): Promise<Response> {
    return this.post({ jsonrpc: '2.0', id, method, params }, { ...this.sessionHeaders, ...headers });
  }

  /** A request of the session, and the message that answers it. */
  async call(method: string, params: object = {}, id?: string | number): Promise<ShownMessage> {
    return answerIn(await this.request(method, params, id));
  }

  /** Calls a tool in the session. */
  async tool(name: string, args: object = {}, params: object = {}): Promise<ShownResult> {
    return resultOf(await this.call('tools/call', { name, arguments: args, ...params }));
  }

  /** A modern request, as the whole response. */
  modern(
    method: string,
    params: Bag = {},
    { capabilities = {}, meta = {}, headers = {} }: { capabilities?: object; meta?: object; headers?: Headers } = {},
  ): Promise<Response> {
    const name = params['name'] ?? params['uri'] ?? params['taskId'];
    const own = {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof name === 'string' && { 'mcp-name': name }),
    };
    const id = (this.lastId += 1);
    const body = { jsonrpc: '2.0', id, method, params: { ...params, _meta: envelope(capabilities, meta) } };
    return this.post(body, { ...own, ...headers });
  }

  /** A modern call of a tool. */
  async modernTool(
    name: string,
    args: object = {},
    params: Bag = {},
    options: Parameters<McpClient['modern']>[2] = {},
  ): Promise<ShownResult> {
    return resultOf(await answerIn(await this.modern('tools/call', { name, arguments: args, ...params }, options)));
  }

  /** The rest of a stream of the session. */
  resume(lastEventId: string, headers: Headers = {}): Promise<Response> {
    const own = { accept: 'text/event-stream', 'last-event-id': lastEventId };
    return fetch(`${this.server.url}/mcp`, {
      headers: { ...own, ...this.headers, ...this.sessionHeaders, ...headers },
    });
  }
}

/** The result of an answer. @throws its error */
export function resultOf({ result, error }: ShownMessage): ShownResult {
  if (result) return result;
  throw new Error(`no result: ${JSON.stringify(error)}`);
}

/** The message that answers a request, whether the answer is JSON or a stream. */
export async function answerIn(response: Response): Promise<ShownMessage> {
  const text = await response.text();
  if (response.headers.get('content-type')?.includes('text/event-stream') !== true)
    return JSON.parse(text) as ShownMessage;
  const last = framesIn(text).findLast(({ message }) => message?.result !== undefined || message?.error !== undefined);
  if (!last?.message) throw new Error(`no answer in ${text}`);
  return last.message;
}

/** The events of a stream; comments are left out. */
export function framesIn(text: string): readonly McpFrame[] {
  return text.split('\n\n').flatMap((frame) => {
    const lines = frame.split('\n').filter((line) => line !== '' && !line.startsWith(':'));
    const field = (name: string): string | undefined =>
      lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
    if (lines.length === 0) return [];
    const data = field('data') ?? '';
    return [
      { id: field('id'), retry: field('retry'), message: data === '' ? undefined : (JSON.parse(data) as ShownMessage) },
    ];
  });
}
