import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { McpTransportConfig } from '../../config/index.js';
import { LineLog } from './line-log.js';

/**
 * The way to a server, not yet begun. A process gets only the variables that are written down for it,
 * beside PATH, HOME and the like; what it writes to its standard error goes to `onLine`.
 */
export function createTransport(
  config: McpTransportConfig,
  onLine: (line: string) => void,
): StdioClientTransport | StreamableHTTPClientTransport {
  if (config.kind === 'http') {
    return new StreamableHTTPClientTransport(new URL(config.url), { requestInit: { headers: { ...config.headers } } });
  }
  const { command, args, env, cwd } = config;
  const transport = new StdioClientTransport({
    command,
    args: [...args],
    env: { ...env },
    stderr: 'pipe',
    ...(cwd === undefined ? {} : { cwd }),
  });
  const log = new LineLog(onLine);
  transport.stderr?.on('data', (chunk: Buffer) => log.append(chunk));
  return transport;
}
