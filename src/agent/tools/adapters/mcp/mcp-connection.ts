import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import packageJson from '../../../../../package.json';
import type { McpServerConfig } from '../../mcp/mcp-servers.js';
import { asWritten, plainValue } from './exact-wire.js';
import { type ConnectionEvents, type McpCall, type McpSession, MOST_PAGES, MOST_TOOLS } from './mcp-session.js';
import type { StartedTransport } from './started-transport.js';
import { createTransport } from './transport.js';
import { CallResult, ToolPage } from './wire-schemas.js';

/** Timeout of the ping that checks a connection after an error, in milliseconds. */
const PING_TIMEOUT_MS = 5000;

/** Timeout of ending a session at the server, in milliseconds. */
const TERMINATE_TIMEOUT_MS = 1000;

/** One session with one server, of the revisions that have sessions. */
export class McpConnection implements McpSession {
  readonly era = 'legacy';
  private readonly client = new Client({ name: packageJson.name, version: packageJson.version });
  private readonly transport: ReturnType<typeof createTransport> | StartedTransport;
  private isOpen = false;
  private pinging = false;

  private constructor(
    private readonly config: McpServerConfig,
    private readonly events: ConnectionEvents,
    started: StartedTransport | undefined,
  ) {
    this.transport = started ?? createTransport(config.transport, (line) => events.onLine(line));
    this.client.onclose = () => this.ended();
    this.client.onerror = () => void this.checkAlive();
    this.client.setNotificationHandler(ToolListChangedNotificationSchema, () => events.onToolsChanged());
  }

  /**
   * Opens a session. If that fails, all resources are released.
   *
   * @param started the process of the server, if it runs already
   * @throws errors of the transport, the server's refusal, the reason of `signal`
   */
  static async open(
    config: McpServerConfig,
    events: ConnectionEvents,
    timeoutMs: number,
    signal: AbortSignal,
    started?: StartedTransport,
  ): Promise<McpConnection> {
    const connection = new McpConnection(config, events, started);
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

  /** True if no request can be sent any more. */
  get isClosed(): boolean {
    return !this.isOpen;
  }

  /** The server's tools from all pages of its list, not validated. @throws if a page cannot be read */
  async listTools(timeoutMs: number): Promise<readonly unknown[]> {
    const tools: unknown[] = [];
    if (!this.client.getServerCapabilities()?.tools) return tools;
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES && tools.length < MOST_TOOLS; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const answer = await this.client.request({ method: 'tools/list', params }, ToolPage, { timeout: timeoutMs });
      tools.push(...answer.tools.map(plainValue));
      if (!answer.nextCursor || answer.nextCursor === cursor) break;
      cursor = answer.nextCursor;
    }
    return tools.slice(0, MOST_TOOLS);
  }

  /**
   * Calls a tool. A progress report restarts the timeout, up to the configured total. If the signal aborts
   * or the call times out, the server is notified that the call is canceled.
   *
   * @throws McpError, StreamableHTTPError and errors of the transport (see `failureOf`)
   */
  async call({ name, args, idempotencyKey, traceparent, signal, ...call }: McpCall): Promise<CallResult> {
    const params = {
      name,
      arguments: asWritten(args),
      _meta: { idempotencyKey, ...(traceparent !== undefined && { traceparent }) },
    };
    return this.client.request({ method: 'tools/call', params }, CallResult, {
      signal,
      timeout: this.config.timeoutMs,
      maxTotalTimeout: this.config.maxTotalMs,
      resetTimeoutOnProgress: true,
      onprogress: ({ progress, total, message }) =>
        call.onProgress({
          progress,
          ...(total !== undefined && { total }),
          ...(message !== undefined && { message }),
        }),
    });
  }

  /** Ends the session and its process. Calls in progress fail as lost. */
  async close(): Promise<void> {
    if (this.transport instanceof StreamableHTTPClientTransport && this.isOpen) await this.terminate(this.transport);
    this.ended();
    await this.transport.close();
  }

  private async terminate(transport: StreamableHTTPClientTransport): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => (timer = setTimeout(resolve, TERMINATE_TIMEOUT_MS)));
    await Promise.race([transport.terminateSession().catch(() => undefined), timeout]);
    clearTimeout(timer);
  }

  /** Over HTTP no connection breaks, so after an error a ping checks whether the session still exists. */
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
