import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import packageJson from '../../../package.json';
import type { JsonObject } from '../../common/index.js';
import type { McpServerConfig } from '../../config/index.js';
import type { ToolProgress } from '../tool.js';
import { createTransport } from './transport.js';
import { CallResult, ToolPage } from './wire-schemas.js';

/** Pages of one list, at most: a server that never ends it is cut. */
const PAGES = 100;

/** Tools of one server, at most. */
const TOOLS = 1000;

/** How long a connection that had an error may take to prove that it lives, in milliseconds. */
const PING_TIMEOUT_MS = 5000;

/** How long a server is given to forget a session, in milliseconds. */
const GOODBYE_MS = 1000;

/** What a connection tells of itself. */
export interface ConnectionEvents {
  /** Once, when it has ended, whoever ended it. Not for a connection that never opened. */
  onClosed(): void;
  onToolsChanged(): void;
  /** A line that the server's process wrote to its standard error. */
  onLine(line: string): void;
}

/** One call of a tool. */
export interface McpCall {
  readonly name: string;
  readonly args: JsonObject;
  readonly idempotencyKey: string;
  readonly signal: AbortSignal;
  onProgress(update: ToolProgress): void;
}

/** One session with one server, from its first message until it ends; a new one is opened then. */
export class McpConnection {
  private readonly client = new Client({ name: packageJson.name, version: packageJson.version });
  private readonly transport: ReturnType<typeof createTransport>;
  private isOpen = false;
  private pinging = false;

  private constructor(
    private readonly config: McpServerConfig,
    private readonly events: ConnectionEvents,
  ) {
    this.transport = createTransport(config.transport, (line) => events.onLine(line));
    this.client.onclose = () => this.ended();
    this.client.onerror = () => void this.checkAlive();
    this.client.setNotificationHandler(ToolListChangedNotificationSchema, () => events.onToolsChanged());
  }

  /**
   * Opens a session. Nothing is left behind when that fails.
   *
   * @throws whatever the transport or the server's refusal is; the reason of `signal`
   */
  static async open(
    config: McpServerConfig,
    events: ConnectionEvents,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<McpConnection> {
    const connection = new McpConnection(config, events);
    try {
      await connection.client.connect(connection.transport, { timeout: timeoutMs, signal });
      signal.throwIfAborted();
    } catch (error) {
      await connection.transport.close();
      throw error;
    }
    connection.isOpen = true;
    return connection;
  }

  /** True when nothing can be asked any more. */
  get isClosed(): boolean {
    return !this.isOpen;
  }

  /** All pages of the server's list of tools, each as it came. @throws when a page does not come */
  async listTools(timeoutMs: number): Promise<readonly unknown[]> {
    const tools: unknown[] = [];
    if (!this.client.getServerCapabilities()?.tools) return tools;
    let cursor: string | undefined;
    for (let page = 0; page < PAGES && tools.length < TOOLS; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const answer = await this.client.request({ method: 'tools/list', params }, ToolPage, { timeout: timeoutMs });
      tools.push(...answer.tools);
      if (!answer.nextCursor || answer.nextCursor === cursor) break;
      cursor = answer.nextCursor;
    }
    return tools.slice(0, TOOLS);
  }

  /**
   * Calls a tool. Progress starts the time-out anew, up to the total that the server may take. When the
   * signal aborts or the time is up, the server is told that the call is cancelled.
   *
   * @throws McpError, StreamableHTTPError and errors of the transport (see `failureOf`)
   */
  async call({ name, args, idempotencyKey, signal, ...call }: McpCall): Promise<CallResult> {
    const params = { name, arguments: args, _meta: { idempotencyKey } };
    return this.client.request({ method: 'tools/call', params }, CallResult, {
      signal,
      timeout: this.config.timeoutMs,
      maxTotalTimeout: this.config.maxTotalMs,
      resetTimeoutOnProgress: true,
      onprogress: ({ progress, total, message }) =>
        call.onProgress({
          progress,
          ...(total === undefined ? {} : { total }),
          ...(message === undefined ? {} : { message }),
        }),
    });
  }

  /** Ends the session, its process included. Calls in flight are answered as lost. */
  async close(): Promise<void> {
    if (this.transport instanceof StreamableHTTPClientTransport && this.isOpen) await this.sayGoodbye(this.transport);
    this.ended();
    await this.transport.close();
  }

  private async sayGoodbye(transport: StreamableHTTPClientTransport): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, GOODBYE_MS)));
    await Promise.race([transport.terminateSession().catch(() => undefined), patience]);
    clearTimeout(timer);
  }

  /** HTTP has no connection that could break: after an error it is tried whether the server still knows us. */
  private async checkAlive(): Promise<void> {
    const isHttp = this.transport instanceof StreamableHTTPClientTransport;
    if (!isHttp || !this.isOpen || this.pinging) return;
    this.pinging = true;
    try {
      await this.client.ping({ timeout: PING_TIMEOUT_MS });
    } catch {
      this.ended();
      await this.transport.close();
    } finally {
      this.pinging = false;
    }
  }

  private ended(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.events.onClosed();
  }
}
