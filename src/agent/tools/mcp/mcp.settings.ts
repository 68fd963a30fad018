import {
  type ConfigurationProblem,
  DAY_MS,
  HOUR_MS,
  MIB,
  milliseconds,
  ServerSettings,
  setting,
  settings,
  text,
} from '../../../config/index.js';
import { ToolSettings } from '../tools.settings.js';
import { type McpServerConfig, readMcpServers } from './mcp-servers.js';

/** The MCP servers whose tools agents may use. */
export class McpSettings extends settings('MCP servers', {
  serversJson: setting('MCP_SERVERS', text(MIB), {
    unset: 'none',
    secret: true,
    description:
      'MCP servers whose tools agents may use: a JSON object in the shape of `mcpServers`, such as `{"files":{"command":"npx","args":["-y","@modelcontextprotocol/server-filesystem","./shared"]}}`. See docs/tools.md.',
  }),
  serversFile: setting('MCP_SERVERS_FILE', text(4096), {
    unset: 'none',
    description: 'A JSON file with more MCP servers, in the same shape.',
  }),
  connectTimeoutMs: setting('MCP_CONNECT_TIMEOUT_MS', milliseconds({ min: 100, max: HOUR_MS }), {
    default: 30_000,
    description: 'How long one attempt to connect to an MCP server and to list its tools may take.',
  }),
  listWaitMs: setting('MCP_LIST_WAIT_MS', milliseconds({ min: 0, max: 600_000 }), {
    default: 5000,
    description:
      'How long a run waits for the first connection to an MCP server. After that it continues without the tools of that server.',
  }),
  listTtlMs: setting('MCP_LIST_TTL_MS', milliseconds({ min: 100, max: DAY_MS }), {
    default: 300_000,
    description: 'Age at which the list of tools of an MCP server is fetched again, even if it announced no change.',
  }),
}) {
  readonly #reading = readMcpServers({
    json: this.serversJson,
    file: this.serversFile,
    toolTimeoutMs: this.source.slice(ToolSettings).timeoutMs,
    env: this.source.env,
  });

  /** False for a process that executes no runs: it connects to no server. */
  readonly isConnecting: boolean = this.source.slice(ServerSettings).role !== 'web';

  /** The servers of both settings, without those that are disabled. */
  readonly servers: readonly McpServerConfig[] = this.#reading.servers;

  override problems(): readonly ConfigurationProblem[] {
    return this.#reading.problems;
  }
}
