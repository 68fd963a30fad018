import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpError } from '@modelcontextprotocol/sdk/types.js';
import { isPlainObject } from '../../../../common/index.js';
import type { McpServerConfig } from '../../mcp/mcp-servers.js';
import { McpConnection } from './mcp-connection.js';
import type { ConnectionEvents, Era, McpSession } from './mcp-session.js';
import type { ModernChannel } from './modern-channel.js';
import { ModernHttp, ModernStdio } from './modern-transports.js';
import { isDiscovery } from './modern-message.js';
import { ModernSession } from './modern-session.js';
import { StartedTransport } from './started-transport.js';
import { stdioTransport } from './transport.js';

/** How long a server may take to say that it is of the modern revision, in milliseconds: old ones may say nothing. */
const PROBE_MS = 3000;

/** How a session is opened. */
export interface OpenOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** The era of the last session: it is tried first. Undefined: the modern one is. */
  readonly lastEra: Era | undefined;
}

/**
 * Opens what there is of a server: in the modern era if it has it, else in the one with sessions. The era of the last session is
 * tried first. If that fails, all resources are released.
 *
 * @throws errors of the transport, the server's refusal, the reason of `signal`
 */
export async function openSession(
  config: McpServerConfig,
  events: ConnectionEvents,
  { timeoutMs, signal, lastEra }: OpenOptions,
): Promise<McpSession> {
  const legacy = (): Promise<McpSession> => McpConnection.open(config, events, timeoutMs, signal);
  if (lastEra !== 'legacy') return openModern(config, events, { timeoutMs, signal, lastEra });
  try {
    return await legacy();
  } catch (error) {
    signal.throwIfAborted();
    // It may be of the modern era only by now.
    if (!(error instanceof McpError || error instanceof StreamableHTTPError)) throw error;
    const modern = await tryModern(config, events, { timeoutMs, signal });
    if (modern) return modern;
    throw error;
  }
}

/** Tries the modern era first, and falls back: over stdio to the same process if it still lives. */
async function openModern(
  config: McpServerConfig,
  events: ConnectionEvents,
  options: OpenOptions,
): Promise<McpSession> {
  const { timeoutMs, signal } = options;
  const { transport: place } = config;
  if (place.kind === 'http') {
    const modern = await tryModern(config, events, options);
    return modern ?? McpConnection.open(config, events, timeoutMs, signal);
  }
  const transport = stdioTransport(place, (line) => events.onLine(line));
  const child = { hasEnded: false };
  let session: ModernSession | undefined;
  try {
    await transport.start();
    const channel = new ModernStdio(transport, () => {
      child.hasEnded = true;
      session?.ended();
    });
    const discovery = await discovered(channel, Math.min(PROBE_MS, timeoutMs), signal);
    if (discovery) {
      session = new ModernSession(config, channel, events, discovery);
      session.listen();
      return session;
    }
    if (!child.hasEnded)
      return await McpConnection.open(config, events, timeoutMs, signal, new StartedTransport(transport));
  } catch (error) {
    await transport.close();
    throw error;
  }
  // Some servers end when the first message is not the one that they expect.
  return McpConnection.open(config, events, timeoutMs, signal);
}

async function tryModern(
  config: McpServerConfig,
  events: ConnectionEvents,
  { timeoutMs, signal }: Pick<OpenOptions, 'timeoutMs' | 'signal'>,
): Promise<McpSession | undefined> {
  const { transport: place } = config;
  if (place.kind === 'http') {
    const channel = new ModernHttp(place);
    const discovery = await discovered(channel, Math.min(PROBE_MS, timeoutMs), signal);
    if (!discovery) return undefined;
    const session = new ModernSession(config, channel, events, discovery);
    session.listen();
    return session;
  }
  const transport = stdioTransport(place, (line) => events.onLine(line));
  const opened: { session?: ModernSession } = {};
  try {
    await transport.start();
    const channel = new ModernStdio(transport, () => opened.session?.ended());
    const discovery = await discovered(channel, Math.min(PROBE_MS, timeoutMs), signal);
    if (discovery) {
      opened.session = new ModernSession(config, channel, events, discovery);
      opened.session.listen();
      return opened.session;
    }
  } catch (error) {
    await transport.close();
    throw error;
  }
  await transport.close();
  return undefined;
}

/** What a server says of itself; undefined if it is not of the modern revision. @throws if it cannot be reached */
async function discovered(
  channel: ModernChannel,
  withinMs: number,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const late = AbortSignal.timeout(withinMs);
  try {
    const { result } = await channel.exchange('server/discover', {}, { signal: AbortSignal.any([signal, late]) });
    return isPlainObject(result) && isDiscovery(result) ? result : undefined;
  } catch (error) {
    signal.throwIfAborted();
    // An answer of another kind, or none at all: a server of an older revision.
    if (late.aborted || error instanceof McpError || error instanceof StreamableHTTPError) return undefined;
    throw error;
  }
}
