import { readSettings } from '../../src/config/index.js';
import type { JsonObject } from '../../src/common/index.js';
import {
  McpSettings,
  SchemaValidator,
  type ServerTool,
  type ToolCaller,
  ToolInvoker,
  ToolSet,
  type ToolProgress,
  type ToolResult,
  ToolSettings,
} from '../../src/agent/tools/index.js';
import { ALLOW_ALL } from '../../src/agent/tools/testing/allow-all.js';
import { McpToolSource } from '../../src/agent/tools/adapters/mcp/mcp-tool-source.js';

/** The MCP tools of a configuration, called through the real pipeline. */
export class McpSource {
  readonly progress: ToolProgress[] = [];
  /** The calls that were written down before they were made. */
  readonly begun: string[] = [];
  readonly source: McpToolSource;
  private readonly invoker: ToolInvoker;
  private calls = 0;

  constructor(servers: object, env: Readonly<Record<string, string>> = {}) {
    // A busy machine may take long to start a program.
    const variables = { MCP_LIST_WAIT_MS: '20000', MCP_SERVERS: JSON.stringify({ mcpServers: servers }), ...env };
    const validator = new SchemaValidator();
    this.source = new McpToolSource(readSettings(McpSettings, variables), validator);
    this.invoker = new ToolInvoker(validator, ALLOW_ALL, readSettings(ToolSettings, env));
  }

  /** The names on offer now. */
  async names(): Promise<string[]> {
    return (await this.source.list()).map(({ name }) => name);
  }

  async tool(name: string): Promise<ServerTool> {
    const tool = (await this.source.list()).find((one) => one.name === name);
    if (!tool) throw new Error(`No tool ${name}`);
    return tool;
  }

  /** Calls a tool that is on offer. @param args or their JSON text */
  async call(
    name: string,
    args: JsonObject | string = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ToolResult> {
    const toolSet = new ToolSet([await this.tool(name)], []);
    return this.callOf(toolSet, name, args, signal);
  }

  /** Calls a tool as a run does that took its offer earlier. */
  async callOf(
    toolSet: ToolSet,
    name: string,
    args: JsonObject | string = {},
    signal: AbortSignal = new AbortController().signal,
  ): Promise<ToolResult> {
    const callId = `call_${(this.calls += 1)}`;
    const journal = {
      inDoubt: () => false,
      begin: (key: string) => Promise.resolve(void this.begun.push(key)),
    };
    const caller: ToolCaller = {
      principal: { tenantId: 'default', userId: 'user' },
      authority: null,
      sessionId: 'session',
      runId: 'run',
      agentType: 'worker',
      signal,
      clientTime: undefined,
      timeZone: 'UTC',
      locale: null,
      forwardedProps: {},
      onProgress: (_call, update) => this.progress.push(update),
    };
    return this.invoker.invoke(
      { callId, name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
      toolSet,
      caller,
      journal,
    );
  }

  close(): Promise<void> {
    return this.source.onApplicationShutdown();
  }
}
