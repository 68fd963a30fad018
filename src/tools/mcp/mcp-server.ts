import { Logger } from '@nestjs/common';
import { fingerprint, type JsonObject } from '../../common/index.js';
import type { ConfigShape, McpServerConfig } from '../../config/index.js';
import { DeadlineError } from '../pipeline/deadline.js';
import type { SchemaValidator } from '../schema-validator.js';
import { ToolError } from '../tool-error.js';
import type { ServerTool, ToolContext, ToolProgress, ToolServerState, UnavailableServer } from '../tool.js';
import { failureOf, reasonOf } from './call-failure.js';
import type { McpConnection } from './mcp-connection.js';
import { McpLink } from './mcp-link.js';
import { type McpCallTarget, McpTools } from './mcp-tools.js';
import { redact } from './redact.js';
import { resultText } from './result-text.js';

/** The longest reason that is logged, and the longest refusal of a server that a model is shown, in characters. */
const REASON_LIMIT = 500;
const REFUSAL_LIMIT = 4000;

/** The milliseconds of the settings that servers share. */
export type McpTimes = Pick<ConfigShape['mcp'], 'connectTimeoutMs' | 'listWaitMs' | 'listTtlMs'>;

/**
 * One configured server: its tools, as they were last listed, and the calls of them. It is connected
 * when somebody asks for its first list, and from then on kept connected.
 */
export class McpServer {
  private readonly logger = new Logger('McpServer');
  private readonly link: McpLink;
  private readonly mapping: McpTools;
  private tools: readonly ServerTool[] = [];
  private listPrint = '';
  private listedAt = 0;
  private refreshing: Promise<void> | undefined;
  private isOutdated = false;
  private wasDown = false;

  constructor(
    private readonly config: McpServerConfig,
    private readonly times: McpTimes,
    validator: SchemaValidator,
  ) {
    this.mapping = new McpTools(config, validator, {
      leftOut: (sentence) => this.logger.warn(this.about(sentence)),
      call: (target, args, context) => this.call(target, args, context),
    });
    this.link = new McpLink(config, times.connectTimeoutMs, {
      onOpen: (connection) => this.takeList(connection),
      onDown: (error, failures) => this.reportDown(error, failures),
      onToolsChanged: () => this.refresh(),
      onLine: (line) => this.logger.debug(this.about(line)),
    });
  }

  /** The tools on offer now; none while the server is down. Waits only for a first attempt to connect. */
  async list(): Promise<readonly ServerTool[]> {
    const connection = await this.link.connected(this.times.listWaitMs);
    if (!connection) return [];
    if (performance.now() - this.listedAt > this.times.listTtlMs) this.refresh();
    return this.tools;
  }

  /** Why there are no tools at the moment, in words that may be shown; undefined when there are. */
  unavailable(): UnavailableServer | undefined {
    if (this.link.connection) return undefined;
    const error =
      this.link.isConnecting && !this.wasDown ? 'The server is still starting.' : 'The server is not available.';
    return { serverLabel: this.config.label, error };
  }

  /** How it stands. Connects nothing. */
  state(): ToolServerState {
    const { label, required } = this.config;
    if (this.link.connection) return { label, state: 'up', required };
    if (this.wasDown) return { label, state: 'down', required };
    return { label, state: this.link.isConnecting ? 'connecting' : 'idle', required };
  }

  /** Ends the session and the server's process. */
  async close(): Promise<void> {
    await this.link.close();
  }

  /**
   * Calls a tool. A call that surely was not begun, or that may be made again, is made a second time
   * when the connection turns out to be lost.
   *
   * @throws ToolError for the model; DeadlineError; the reason of the call's signal
   */
  private async call(target: McpCallTarget, args: JsonObject, context: ToolContext): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      const connection = await this.link.connected(this.times.connectTimeoutMs);
      context.signal.throwIfAborted();
      if (!connection) throw new ToolError(`the MCP server "${this.config.label}" is not available`);
      try {
        return await this.callOnce(connection, target, args, context);
      } catch (error) {
        context.signal.throwIfAborted();
        if (error instanceof ToolError) throw error;
        const failure = failureOf(error, connection.isClosed);
        if (failure === 'not-sent' || failure === 'lost') await connection.close();
        const mayRepeat = failure === 'not-sent' || (failure === 'lost' && target.effects !== 'unsafe');
        if (attempt > 1 || !mayRepeat) throw this.sayable(error, failure, target);
      }
    }
  }

  private async callOnce(
    connection: McpConnection,
    { name }: McpCallTarget,
    args: JsonObject,
    context: ToolContext,
  ): Promise<string> {
    const { idempotencyKey, signal } = context;
    const onProgress = (update: ToolProgress): void => context.progress(update);
    const result = await connection.call({ name, args, idempotencyKey, signal, onProgress });
    const text = resultText(result);
    if (result.isError === true) throw new ToolError(text || 'the tool says no more than that it failed');
    return text;
  }

  private sayable(error: unknown, failure: ReturnType<typeof failureOf>, { effects }: McpCallTarget): Error {
    this.logger.debug(this.about(`a call failed (${failure}): ${this.reason(error)}`));
    if (failure === 'timeout') return new DeadlineError(this.config.timeoutMs);
    if (failure === 'refused') return new ToolError(redact(reasonOf(error), this.config.secrets, REFUSAL_LIMIT));
    const doubt = failure === 'lost' && effects !== 'none' ? '; the call may have taken effect all the same' : '';
    return new ToolError(`the connection to the MCP server "${this.config.label}" was lost${doubt}`, { cause: error });
  }

  /** Lists again in the background; what is on offer stays until the new list is there. */
  private refresh(): void {
    this.isOutdated = true;
    const connection = this.link.connection;
    if (!connection || this.refreshing) return;
    this.refreshing = this.takeList(connection)
      .catch((error: unknown) => this.logger.warn(this.about(`its tools cannot be listed: ${this.reason(error)}`)))
      .finally(() => {
        this.refreshing = undefined;
        if (this.isOutdated && !connection.isClosed) this.refresh();
      });
  }

  private async takeList(connection: McpConnection): Promise<void> {
    this.isOutdated = false;
    this.listedAt = performance.now();
    const listed = await connection.listTools(this.times.connectTimeoutMs);
    const print = fingerprint(listed);
    if (print !== this.listPrint || this.wasDown) {
      if (print !== this.listPrint) this.tools = this.mapping.serverTools(listed);
      this.logger.log(this.about(`${this.tools.length} tools are on offer`));
    }
    this.listPrint = print;
    this.wasDown = false;
  }

  /** Said once; that further attempts fail is of use to a developer only. */
  private reportDown(error: unknown, failures: number): void {
    const reason = error === undefined ? 'the connection was lost' : `it cannot be connected: ${this.reason(error)}`;
    if (this.wasDown) this.logger.debug(this.about(`${reason} (attempt ${failures})`));
    else this.logger.warn(this.about(`${reason}; its tools are not on offer until it is back`));
    this.wasDown = true;
  }

  private reason(error: unknown): string {
    return redact(reasonOf(error), this.config.secrets, REASON_LIMIT);
  }

  private about(sentence: string): string {
    return `${this.config.label}: ${redact(sentence, this.config.secrets, REASON_LIMIT * 2)}`;
  }
}
