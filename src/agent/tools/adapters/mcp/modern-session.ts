import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ErrorCode, McpError } from '@modelcontextprotocol/sdk/types.js';
import { isPlainObject } from '../../../../common/index.js';
import type { McpServerConfig } from '../../mcp/mcp-servers.js';
import { failureOf } from './call-failure.js';
import { asWritten, plainValue } from './exact-wire.js';
import { type ConnectionEvents, type McpCall, type McpSession, MOST_PAGES, MOST_TOOLS } from './mcp-session.js';
import { type ModernChannel, resultIn, type ServerMessage } from './modern-channel.js';
import { type Mirrored, mirroredOf, mirroredValues } from './modern-message.js';
import { CallResult, ToolPage } from './wire-schemas.js';

/** The delay before changes of the list are listened for again, in milliseconds. It doubles up to the longest. */
const FIRST_DELAY_MS = 1000;
const LONGEST_DELAY_MS = 60_000;

/** One server of the modern revision. There is no connection: it is lost when a request cannot be sent. */
export class ModernSession implements McpSession {
  readonly era = 'modern';
  private readonly over = new AbortController();
  private readonly mirrored = new Map<string, Mirrored>();
  private lastToken = 0;

  /** @param discovery the result of `server/discover` */
  constructor(
    private readonly config: McpServerConfig,
    private readonly channel: ModernChannel,
    private readonly events: ConnectionEvents,
    private readonly discovery: Readonly<Record<string, unknown>>,
  ) {}

  get isClosed(): boolean {
    return this.over.signal.aborted;
  }

  /** Listens for changes of the list of tools, if the server tells them. */
  listen(): void {
    const tools = this.capability('tools');
    if (isPlainObject(tools) && tools['listChanged'] === true) void this.followChanges();
  }

  async listTools(timeoutMs: number): Promise<readonly unknown[]> {
    const tools: unknown[] = [];
    if (!this.capability('tools')) return tools;
    let cursor: string | undefined;
    for (let page = 0; page < MOST_PAGES && tools.length < MOST_TOOLS; page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const answer = ToolPage.parse(await this.request('tools/list', params, { timeoutMs }));
      tools.push(...answer.tools.map(plainValue));
      if (!answer.nextCursor || answer.nextCursor === cursor) break;
      cursor = answer.nextCursor;
    }
    this.mirrored.clear();
    for (const tool of tools) {
      const found = mirroredOf(tool);
      if (found && isPlainObject(tool)) this.mirrored.set(String(tool['name']), found);
    }
    return tools.slice(0, MOST_TOOLS);
  }

  async call({ name, args, idempotencyKey, traceparent, signal, onProgress }: McpCall): Promise<CallResult> {
    const progressToken = (this.lastToken += 1);
    const _meta = { progressToken, idempotencyKey, ...(traceparent !== undefined && { traceparent }) };
    const mirrored = this.mirrored.get(name);
    const result = await this.request(
      'tools/call',
      { name, arguments: asWritten(args), _meta },
      {
        signal,
        timeoutMs: this.config.timeoutMs,
        totalMs: this.config.maxTotalMs,
        ...(mirrored && { mirrored: mirroredValues(mirrored, args) }),
        onNotification: (message) => {
          const update = progressIn(message, progressToken);
          if (update) onProgress(update);
        },
      },
    );
    return CallResult.parse(result);
  }

  async close(): Promise<void> {
    this.ended();
    await this.channel.close();
  }

  /** The process of the server has ended, or the session is closed. */
  ended(): void {
    if (this.isClosed) return;
    this.over.abort(new McpError(ErrorCode.ConnectionClosed, 'Connection closed'));
    this.events.onClosed();
  }

  /** A request with a time limit, which each notification restarts. */
  private async request(
    method: string,
    params: Readonly<Record<string, unknown>>,
    options: {
      readonly timeoutMs: number;
      readonly totalMs?: number | undefined;
      readonly signal?: AbortSignal;
      readonly mirrored?: Readonly<Record<string, string>>;
      readonly onNotification?: (message: ServerMessage) => void;
    },
  ): Promise<Readonly<Record<string, unknown>>> {
    const { timeoutMs, totalMs, signal, mirrored, onNotification } = options;
    const late = new AbortController();
    const expire = (data: object) => () =>
      late.abort(new McpError(ErrorCode.RequestTimeout, 'Request timed out', data));
    let timer = setTimeout(expire({ timeout: timeoutMs }), timeoutMs);
    const total = totalMs === undefined ? undefined : setTimeout(expire({ maxTotalTimeout: totalMs }), totalMs);
    const signals = [late.signal, this.over.signal, ...(signal ? [signal] : [])];
    try {
      const answer = await this.channel.exchange(method, params, {
        signal: AbortSignal.any(signals),
        ...(mirrored && { mirrored }),
        onNotification: (message) => {
          clearTimeout(timer);
          timer = setTimeout(expire({ timeout: timeoutMs }), timeoutMs);
          onNotification?.(message);
        },
      });
      return resultIn(answer);
    } catch (error) {
      for (const one of signals) one.throwIfAborted();
      // Nothing is there any more: it is opened again, when it is back.
      if (
        !(error instanceof McpError) &&
        !(error instanceof StreamableHTTPError) &&
        failureOf(error, false) === 'not-sent'
      )
        this.ended();
      throw error;
    } finally {
      clearTimeout(timer);
      clearTimeout(total);
    }
  }

  private capability(name: string): unknown {
    const { capabilities } = this.discovery;
    return isPlainObject(capabilities) ? capabilities[name] : undefined;
  }

  /** A stream of changes, which is opened again when it ends: the list may have changed meanwhile. */
  private async followChanges(): Promise<void> {
    const { signal } = this.over;
    const params = { notifications: { toolsListChanged: true } };
    for (let delay = FIRST_DELAY_MS; !signal.aborted; delay = Math.min(delay * 2, LONGEST_DELAY_MS)) {
      const stream = { hasBegun: false };
      try {
        const answer = await this.channel.exchange('subscriptions/listen', params, {
          signal,
          onNotification: ({ method }) => {
            if (method === 'notifications/subscriptions/acknowledged') stream.hasBegun = true;
            if (method === 'notifications/tools/list_changed') this.events.onToolsChanged();
          },
        });
        // It has no such stream.
        if (!stream.hasBegun && answer['error'] !== undefined) return;
      } catch {
        // The server is away; what it offers is listed again below.
      }
      if (stream.hasBegun) delay = FIRST_DELAY_MS;
      await pause(delay, signal);
      if (stream.hasBegun && !signal.aborted) this.events.onToolsChanged();
    }
  }
}

function progressIn({ method, params }: ServerMessage, token: number) {
  if (method !== 'notifications/progress' || !isPlainObject(params) || params['progressToken'] !== token)
    return undefined;
  const { progress, total, message } = params;
  if (typeof progress !== 'number') return undefined;
  return {
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message }),
  };
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds).unref();
    signal.addEventListener('abort', done, { once: true });
  });
}
