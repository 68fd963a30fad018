import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ScriptedTool } from './mcp-servers.js';

/** The package of the modern revision, looked up by name: its types are for newer compilers. */
const PACKAGE = '@modelcontextprotocol/server';

type Bag = Readonly<Record<string, unknown>>;

interface LowServer {
  setRequestHandler(method: string, handler: (request: { params?: Bag }, context: CallContext) => Promise<Bag>): void;
}

interface CallContext {
  readonly mcpReq: { notify(message: object): Promise<void>; readonly signal: AbortSignal };
}

interface Handler {
  fetch(request: Request): Promise<Response>;
  close(): Promise<void>;
  readonly notify: { toolsChanged(): void };
}

interface Package {
  readonly Server: new (info: object, options: object) => LowServer;
  createMcpHandler(factory: () => LowServer, options: object): Handler;
}

/** A stock MCP server of the modern revision over HTTP, whose tools a test sets and changes. */
export class ModernMcp {
  tools: readonly ScriptedTool[] = [{ name: 'now', inputSchema: { type: 'object' } }];
  pageSize = 100;
  call: (name: string, args: Bag, context: CallContext) => Promise<Bag> = () =>
    Promise.resolve({ content: [{ type: 'text', text: 'modern' }] });
  readonly methods: string[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  /** The signals of the calls. */
  readonly signals: AbortSignal[] = [];
  private http: Server | undefined;
  private handler: Handler | undefined;
  private port = 0;

  /** @param legacy whether it also answers requests of the revisions with sessions */
  constructor(private readonly legacy: 'reject' | 'stateless' = 'reject') {}

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  async start(port = this.port): Promise<this> {
    const { Server: LowLevel, createMcpHandler } = (await import(PACKAGE)) as unknown as Package;
    this.handler = createMcpHandler(() => this.made(LowLevel), { legacy: this.legacy });
    const http = createServer((request, response) => {
      void (async () => {
        const body = request.method === 'POST' ? await buffer(request) : undefined;
        this.methods.push((JSON.parse(body?.toString() ?? '{}') as { method?: string }).method ?? '');
        this.headers.push(request.headers);
        const leaving = new AbortController();
        response.once('close', () => leaving.abort());
        const headers = Object.entries(request.headers).map(
          ([name, value]) => [name, String(value)] as [string, string],
        );
        const asked = new Request(this.url, {
          method: request.method ?? 'GET',
          headers,
          signal: leaving.signal,
          ...(body && { body: new Uint8Array(body) }),
        });
        const answer = await this.handler?.fetch(asked);
        response.writeHead(answer?.status ?? 500, Object.fromEntries(answer?.headers ?? []));
        if (answer?.body)
          Readable.fromWeb(answer.body)
            .on('error', () => response.destroy())
            .pipe(response);
        else response.end();
      })();
    });
    http.listen(port, '127.0.0.1');
    await once(http, 'listening');
    this.port = (http.address() as AddressInfo).port;
    this.http = http;
    return this;
  }

  async stop(): Promise<void> {
    const { http } = this;
    this.http = undefined;
    if (!http) return;
    const closed = once(http, 'close');
    http.close();
    http.closeAllConnections();
    await closed;
    await this.handler?.close();
  }

  /** Changes the tools and tells whoever listens. */
  change(tools: readonly ScriptedTool[]): void {
    this.tools = tools;
    this.handler?.notify.toolsChanged();
  }

  private made(LowLevel: Package['Server']): LowServer {
    const server = new LowLevel({ name: 'modern', version: '1' }, { capabilities: { tools: { listChanged: true } } });
    server.setRequestHandler('tools/list', ({ params }) => {
      const from = Number(params?.['cursor'] ?? 0);
      const next = from + this.pageSize;
      const tools = this.tools.slice(from, next);
      return Promise.resolve({ tools, ...(next < this.tools.length && { nextCursor: String(next) }) });
    });
    server.setRequestHandler('tools/call', ({ params }, context) => {
      this.signals.push(context.mcpReq.signal);
      return this.call(String(params?.['name']), params?.['arguments'] as Bag, context);
    });
    return server;
  }
}
