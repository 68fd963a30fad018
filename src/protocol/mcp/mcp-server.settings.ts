import { DAY_MS, duration, flag, milliseconds, namePatterns, setting, settings } from '../../config/index.js';

const MINUTE_MS = 60_000;

/** Settings of the MCP server at `/mcp` (contract mcp-server, section 12). */
export class McpServerSettings extends settings('MCP server', {
  callWaitMs: setting('MCP_CALL_WAIT_MS', milliseconds({ min: 100, max: 10 * MINUTE_MS }), {
    default: 50_000,
    description:
      'Time after which a call of an agent that is not over is answered as in progress. Most clients give up after 60 s.',
  }),
  taskAfterMs: setting('MCP_TASK_AFTER_MS', milliseconds({ min: 0, max: MINUTE_MS }), {
    default: 1000,
    description: 'Time after which a client with the tasks extension gets a task in place of the result.',
  }),
  sessionTtlMs: setting('MCP_SESSION_TTL', duration({ min: 1000, max: 365 * DAY_MS }), {
    default: '24h',
    description:
      'How long a session of a client of the revisions with sessions is valid. Clients begin a new one then.',
  }),
  retryMs: setting('MCP_RETRY_MS', milliseconds({ min: 10, max: MINUTE_MS }), {
    default: 3000,
    description:
      'How long clients wait before they come back for the rest of a stream. They try twice, so twice the time should outlast a restart.',
  }),
  elicitation: setting('MCP_ELICITATION', flag(), {
    default: true,
    description:
      'Whether clients that can show forms are asked for approvals and inputs; otherwise people decide elsewhere.',
  }),
  resources: setting('MCP_RESOURCES', flag(), {
    default: false,
    description: 'Whether sessions and runs can be read as resources.',
  }),
  serverTools: setting('MCP_SERVER_TOOLS', namePatterns(), {
    default: () => [],
    unset: 'none',
    description:
      'Tools of this server, and of its MCP servers, that can be called themselves: names separated by commas, `*` for any characters.',
  }),
}) {}
