import type { Metrics } from '../../common/index.js';
import type { ToolRegistry } from './tool-registry.js';

/** Shows which MCP servers are connected. One that no run has needed yet is `idle` and counts as neither. */
export function showServers(registry: ToolRegistry, metrics: Metrics): void {
  const gauge = {
    name: 'parley_mcp_server_up',
    help: '1 while an MCP server is connected, 0 while it cannot be reached; absent until it is needed.',
    labels: ['server'],
  };
  metrics.gauge(gauge, () =>
    registry
      .servers()
      .filter(({ state }) => state !== 'idle')
      .map(({ label, state }) => [[label], state === 'up' ? 1 : 0] as const),
  );
}
