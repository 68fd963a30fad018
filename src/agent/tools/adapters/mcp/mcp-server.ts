import { Logger } from '@nestjs/common';
import { fingerprint } from '../../../../common/index.js';
import type { McpServerConfig } from '../../mcp/mcp-servers.js';
import type { McpSettings } from '../../mcp/mcp.settings.js';
import { DeadlineError } from '../../deadline.js';
import type { SchemaValidator } from '../../schema-validator.js';
import type { ToolServerState, UnavailableServer } from '../../ports/tool-source.js';
import { type ServerTool, type ToolContext, ToolAnswer, ToolError, type ToolProgress } from '../../tool.js';
import { failureOf, reasonOf, redact } from './call-failure.js';
import { McpLink } from './mcp-link.js';
import type { McpSession } from './mcp-session.js';
import { type McpCallTarget, McpTools } from './mcp-tools.js';
import { resultContents, resultImages, resultText } from './result-text.js';

/** The longest logged reason, and the longest refusal of a server shown to a model, in characters. */
const REASON_LIMIT = 500;
const REFUSAL_LIMIT = 4000;

/** Settings that all servers share, in milliseconds. */
export type McpTimes = Pick<McpSettings, 'connectTimeoutMs' | 'listWaitMs' | 'listTtlMs'>;

/**
 * One configured server: its tools as last listed, and the calls of them. It is connected when its tools
 * are first listed, and kept connected from then on.
 */
export class McpServer {
  private readonly logger = new Logger('McpServer');
  private readonly link: McpLink;
  private readonly mapper: McpTools;
  private tools: readonly ServerTool[] = [];
  private listFingerprint = '';
  private listedAt = 0;
  private refreshing: Promise<void> | undefined;
  private isOutdated = false;
  private wasDown = false;

  constructor(
    private readonly config: McpServerConfig,
    private readonly times: McpTimes,
    validator: SchemaValidator,
  ) {
    this.mapper = new McpTools(config, validator, {
      onProblem: (sentence) => this.logger.warn(this.prefixed(sentence)),
      call: (target, context) => this.call(target, context),
    });
    this.link = new McpLink(config, times.connectTimeoutMs, {
      onOpen: (connection) => this.loadTools(connection),
      onDown: (error, failures) => this.reportDown(error, failures),
      onToolsChanged: () => this.refresh(),
      onLine: (line) => this.logger.debug(this.prefixed(line)),
    });
  }

  /** The tools that are available now; none while the server is down. Waits only for a first attempt to connect. */
  async list(): Promise<readonly ServerTool[]> {
    const connection = await this.link.connected(this.times.listWaitMs);
    if (!connection) return [];
    if (performance.now() - this.listedAt > this.times.listTtlMs) this.refresh();
    return this.tools;
  }

  /** Why its tools are not available at the moment, with a reason that may be shown; undefined if they are. */
  unavailable(): UnavailableServer | undefined {
    if (this.link.connection) return undefined;
    const error =
      this.link.isConnecting && !this.wasDown ? 'The server is still starting.' : 'The server is not available.';
    return { serverLabel: this.config.label, error };
  }

  /** The current state. Does not connect. */
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
   * Calls a tool. If the connection is lost, the call is repeated once if it was certainly not started or if
   * the tool's effects allow it.
   *
   * @throws ToolError for the model; DeadlineError; the reason of the call's signal
   */
  private async call(target: McpCallTarget, context: ToolContext): Promise<string | ToolAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      const connection = await this.link.connected(this.times.connectTimeoutMs);
      context.signal.throwIfAborted();
      if (!connection) throw new ToolError(`the MCP server "${this.config.label}" is not available`);
      try {
        return await this.callOnce(connection, target, context);
      } catch (error) {
        context.signal.throwIfAborted();
        if (error instanceof ToolError) throw error;
        const failure = failureOf(error, connection.isClosed);
        if (failure === 'not-sent' || failure === 'lost') await connection.close();
        const mayRepeat = failure === 'not-sent' || (failure === 'lost' && target.effects !== 'unsafe');
        if (attempt > 1 || !mayRepeat) throw this.callError(error, failure, target);
      }
    }
  }

  private async callOnce(
    connection: McpSession,
    { name }: McpCallTarget,
    context: ToolContext,
  ): Promise<string | ToolAnswer> {
    const { argumentsText: args, idempotencyKey, signal, traceparent } = context;
    const onProgress = (update: ToolProgress): void => context.progress(update);
    const result = await connection.call({ name, args, idempotencyKey, traceparent, signal, onProgress });
    const text = resultText(result);
    if (result.isError === true) throw new ToolError(text || 'the tool failed without a message');
    const images = resultImages(result);
    const contents = resultContents(result);
    return images.length > 0 || contents ? new ToolAnswer(text, undefined, images, contents) : text;
  }

  private callError(error: unknown, failure: ReturnType<typeof failureOf>, { effects }: McpCallTarget): Error {
    this.logger.debug(this.prefixed(`a call failed (${failure}): ${this.reason(error)}`));
    if (failure === 'timeout') return new DeadlineError(this.config.timeoutMs);
    if (failure === 'refused') return new ToolError(redact(reasonOf(error), this.config.secrets, REFUSAL_LIMIT));
    const doubt = failure === 'lost' && effects !== 'none' ? '; the call may have taken effect all the same' : '';
    return new ToolError(`the connection to the MCP server "${this.config.label}" was lost${doubt}`, { cause: error });
  }

  /** Lists the tools again in the background. The old tools stay available until then. */
  private refresh(): void {
    this.isOutdated = true;
    const connection = this.link.connection;
    if (!connection || this.refreshing) return;
    this.refreshing = this.loadTools(connection)
      .catch((error: unknown) => this.logger.warn(this.prefixed(`its tools cannot be listed: ${this.reason(error)}`)))
      .finally(() => {
        this.refreshing = undefined;
        if (this.isOutdated && !connection.isClosed) this.refresh();
      });
  }

  private async loadTools(connection: McpSession): Promise<void> {
    this.isOutdated = false;
    this.listedAt = performance.now();
    const listed = await connection.listTools(this.times.connectTimeoutMs);
    const listPrint = fingerprint(listed);
    if (listPrint !== this.listFingerprint || this.wasDown) {
      if (listPrint !== this.listFingerprint) this.tools = this.mapper.serverTools(listed);
      this.logger.log(this.prefixed(`${this.tools.length} tools are available`));
    }
    this.listFingerprint = listPrint;
    this.wasDown = false;
  }

  /** Warns once; further failed attempts are logged at debug level. */
  private reportDown(error: unknown, failures: number): void {
    const reason = error === undefined ? 'the connection was lost' : `it cannot be connected: ${this.reason(error)}`;
    if (this.wasDown) this.logger.debug(this.prefixed(`${reason} (attempt ${failures})`));
    else this.logger.warn(this.prefixed(`${reason}; its tools are not available until it is back`));
    this.wasDown = true;
  }

  private reason(error: unknown): string {
    return redact(reasonOf(error), this.config.secrets, REASON_LIMIT);
  }

  private prefixed(sentence: string): string {
    return `${this.config.label}: ${redact(sentence, this.config.secrets, REASON_LIMIT * 2)}`;
  }
}
