import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Server as McpServer } from '@modelcontextprotocol/sdk/server/index.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  CallToolRequestSchema,
  CancelledNotificationSchema,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { until } from './until.js';

const PACKAGES = join(__dirname, '../node_modules/@modelcontextprotocol');
const EVERYTHING = join(PACKAGES, 'server-everything/dist/index.js');
const FILESYSTEM = join(PACKAGES, 'server-filesystem/dist/index.js');

const children = new Set<ChildProcess>();
process.on('exit', () => children.forEach((child) => child.kill('SIGKILL')));

/** The reference server with one of everything, as a process of whoever connects to it. */
export const everythingStdio = { command: process.execPath, args: [EVERYTHING, 'stdio'] };

/** The reference server for the files of one folder. */
export function filesystemStdio(folder: string): { command: string; args: string[] } {
  return { command: process.execPath, args: [FILESYSTEM, folder] };
}

/** The reference server with one of everything, over HTTP, as a process that can be killed and started again. */
export class EverythingHttp {
  private child: ChildProcess | undefined;

  constructor(readonly port: number) {}

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  async start(): Promise<this> {
    const env = { PATH: process.env['PATH'], PORT: String(this.port) };
    const child = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], { env, stdio: 'ignore' });
    this.child = child;
    children.add(child);
    await until(async () => {
      await fetch(this.url);
    });
    return this;
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    const { child } = this;
    if (!child) return;
    this.child = undefined;
    children.delete(child);
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
}

/** A tool of a `ScriptedMcp`, valid or not. */
export type ScriptedTool = Readonly<Record<string, unknown>> & { readonly name: string };

/** What a tool of a `ScriptedMcp` does when it is called. */
export type ScriptedCall = (args: Readonly<Record<string, unknown>>, meta: object) => Promise<object>;

/** A real MCP server over HTTP in this process, whose tools a test sets and changes. */
export class ScriptedMcp {
  tools: readonly ScriptedTool[] = [];
  pageSize = 100;
  call: ScriptedCall = () => Promise.resolve({ content: [{ type: 'text', text: 'done' }] });
  readonly calls: { name: string; args: unknown; meta: object }[] = [];
  /** The bodies of all requests, as they came. */
  readonly bodies: string[] = [];
  readonly headers: IncomingHttpHeaders[] = [];
  listings = 0;
  cancelled = 0;
  private http: Server | undefined;
  private port = 0;
  private readonly sessions = new Map<string, { transport: StreamableHTTPServerTransport; server: McpServer }>();

  get url(): string {
    return `http://127.0.0.1:${this.port}/mcp`;
  }

  get sessionCount(): number {
    return this.sessions.size;
  }

  async start(port = this.port): Promise<this> {
    const http = createServer((request, response) => void this.handle(request, response));
    http.listen(port, '127.0.0.1');
    await once(http, 'listening');
    this.port = (http.address() as AddressInfo).port;
    this.http = http;
    return this;
  }

  async stop(): Promise<void> {
    const { http } = this;
    this.http = undefined;
    this.sessions.clear();
    if (!http) return;
    const closed = once(http, 'close');
    http.close();
    http.closeAllConnections();
    await closed;
  }

  /** Forgets every session, as a server does that was deployed anew. */
  forget(): void {
    this.sessions.clear();
  }

  /** Changes the tools and notifies the clients. */
  async change(tools: readonly ScriptedTool[]): Promise<void> {
    this.tools = tools;
    await Promise.all([...this.sessions.values()].map(({ server }) => server.sendToolListChanged()));
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.headers.push(request.headers);
    const id = request.headers['mcp-session-id'];
    const known = typeof id === 'string' ? this.sessions.get(id) : undefined;
    if (id !== undefined && !known) {
      response.writeHead(404).end('Session not found');
      return;
    }
    const { transport } = known ?? (await this.open());
    const body = request.method === 'POST' ? await text(request) : undefined;
    if (body !== undefined) this.bodies.push(body);
    writeBigints(response);
    await transport.handleRequest(request, response, body === undefined ? undefined : JSON.parse(body));
  }

  private async open(): Promise<{ transport: StreamableHTTPServerTransport; server: McpServer }> {
    const server = this.makeServer();
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: () => randomUUID(),
      onsessioninitialized: (id) => void this.sessions.set(id, { transport, server }),
      onsessionclosed: (id) => void this.sessions.delete(id),
    });
    await server.connect(transport);
    return { transport, server };
  }

  private makeServer(): McpServer {
    const capabilities = { tools: { listChanged: true } };
    const server = new McpServer({ name: 'scripted', version: '1.0.0' }, { capabilities });
    server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
      this.listings += 1;
      const start = Number(params?.cursor ?? 0);
      const end = start + this.pageSize;
      const tools = this.tools.slice(start, end) as never[];
      return end < this.tools.length ? { tools, nextCursor: String(end) } : { tools };
    });
    server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
      const meta = params._meta ?? {};
      this.calls.push({ name: params.name, args: params.arguments, meta });
      return { ...(await this.call(params.arguments ?? {}, meta)) };
    });
    server.setNotificationHandler(CancelledNotificationSchema, () => void (this.cancelled += 1));
    return server;
  }
}

/** Makes a response write text such as `"12n"` as the integer, which JavaScript's own JSON cannot have exactly. */
function writeBigints(response: ServerResponse): void {
  const exact = (chunk: unknown): unknown =>
    chunk instanceof Uint8Array || typeof chunk === 'string'
      ? Buffer.from(chunk)
          .toString('utf8')
          .replace(/"(-?\d+)n"/g, '$1')
      : chunk;
  const { write, end } = response;
  response.write = (chunk: unknown, ...rest: unknown[]) =>
    Reflect.apply(write, response, [exact(chunk), ...rest]) as boolean;
  response.end = (chunk?: unknown, ...rest: unknown[]) =>
    Reflect.apply(end, response, [exact(chunk), ...rest]) as never;
}

/** A server that notes the ids of its processes in a file, one a line. */
export function withPids(
  server: { command: string; args: string[] },
  file: string,
): { command: string; args: string[] } {
  return { command: 'sh', args: ['-c', 'echo $$ >> "$0"; exec "$@"', file, server.command, ...server.args] };
}
