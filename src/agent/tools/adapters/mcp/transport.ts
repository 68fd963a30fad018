import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { McpTransportConfig } from '../../mcp/mcp-servers.js';
import { exactFetch } from './exact-fetch.js';
import { StdioTransport } from './stdio-transport.js';

/**
 * The transport to a server, not started yet. A process gets only its configured environment variables
 * besides PATH, HOME and the like. `onLine` receives what it writes to its standard error.
 */
export function createTransport(
  config: McpTransportConfig,
  onLine: (line: string) => void,
): StdioTransport | StreamableHTTPClientTransport {
  if (config.kind === 'http') {
    const requestInit = { headers: { ...config.headers } };
    return new StreamableHTTPClientTransport(new URL(config.url), { requestInit, fetch: exactFetch });
  }
  return stdioTransport(config, onLine);
}

/** As `createTransport`, for a process. */
export function stdioTransport(
  config: Extract<McpTransportConfig, { kind: 'stdio' }>,
  onLine: (line: string) => void,
): StdioTransport {
  const log = new LineLog(onLine);
  return new StdioTransport(config, (chunk) => log.append(chunk));
}

/** Longer lines are cut, in characters. */
const LINE_LIMIT = 1000;

/** Most lines in one window of time. */
const LINES = 100;
const WINDOW_MS = 10_000;

/**
 * Splits the output of a process into lines for the log. Passes on at most 100 lines in 10 s, of at most
 * 1000 characters each, and counts the lines that it drops.
 */
export class LineLog {
  private rest = '';
  private windowEnds = 0;
  private lines = 0;
  private readonly decoder = new TextDecoder();

  /** @param now returns the milliseconds of a monotonic clock */
  constructor(
    private readonly write: (line: string) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  append(chunk: Uint8Array): void {
    const lines = (this.rest + this.decoder.decode(chunk, { stream: true })).split(/\r?\n/);
    this.rest = (lines.pop() ?? '').slice(0, LINE_LIMIT);
    for (const line of lines) this.line(line);
  }

  private line(line: string): void {
    if (line.trim() === '') return;
    const now = this.now();
    if (now >= this.windowEnds) {
      if (this.lines > LINES) this.write(`(${this.lines - LINES} more lines)`);
      this.windowEnds = now + WINDOW_MS;
      this.lines = 0;
    }
    this.lines += 1;
    if (this.lines <= LINES) this.write(line.slice(0, LINE_LIMIT));
  }
}
