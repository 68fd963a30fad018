import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import type { OnApplicationShutdown } from '@nestjs/common';
import { Agent, buildConnector, type Dispatcher, request } from 'undici';
import { EnvironmentProxies, type HttpProxy, tunnelThrough } from '../common/index.js';
import { isLoopback } from '../config/index.js';
import { AddressRules } from './address-rules.js';
import type { OutgoingSettings } from './outgoing.settings.js';

/** A request of the server itself. */
export interface OutgoingRequest {
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** For everything together, from the resolution of the name to the last byte of the answer, in milliseconds. */
  readonly timeoutMs: number;
  /** The longest body of an answer, in bytes. */
  readonly maxBytes: number;
  /** True: of a longer answer the beginning is returned. Default: it is an error. */
  readonly isCutAllowed?: boolean;
  /** Whether it may go to this machine, if its address says so; then also without TLS. */
  readonly isLoopbackAllowed?: boolean;
  /** Whether it may go without TLS to any address that it may go to. */
  readonly isHttpAllowed?: boolean;
}

/** The answer to a request, whole. */
export interface OutgoingAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Resolves a name to all its addresses. */
type Resolve = (
  host: string,
  done: (error: NodeJS.ErrnoException | null, addresses: readonly LookupAddress[]) => void,
) => void;

/** What a test or a feature replaces. */
export interface OutgoingParts {
  readonly resolve?: Resolve;
  /** Certificates in PEM that are trusted instead of the public authorities. */
  readonly ca?: string;
  /** The setting that allows special addresses, for errors. Default: `OUTGOING_ALLOWED`. */
  readonly allowedBy?: string;
}

/**
 * The client of all requests that the server makes by itself, to addresses that are not its own configuration's alone
 * (contract access, section 10, rule 1): over https; a name is resolved once, and what was checked is what is connected
 * to; special addresses are refused unless `OUTGOING_ALLOWED` names them; redirects are not followed; time and size are
 * limited. Through the proxies of the environment, which then resolve the names.
 */
export class OutgoingHttp implements OnApplicationShutdown {
  private readonly proxies = new EnvironmentProxies();
  private readonly rules: AddressRules;
  private readonly allowedBy: string;
  private readonly resolve: Resolve;
  /** By the address of the proxy, and whether this machine may be reached. */
  private readonly dispatchers = new Map<string, Dispatcher>();

  constructor(
    { allowed }: Pick<OutgoingSettings, 'allowed'>,
    private readonly parts: OutgoingParts = {},
  ) {
    this.rules = new AddressRules(allowed);
    this.allowedBy = parts.allowedBy ?? 'OUTGOING_ALLOWED';
    this.resolve = parts.resolve ?? ((host, done) => lookup(host, { all: true }, done));
  }

  /** @throws Error that says what is wrong, without the content; for a refused address before anything is sent */
  async send(address: string, given: OutgoingRequest): Promise<OutgoingAnswer> {
    const {
      method = 'GET',
      headers,
      body,
      timeoutMs,
      maxBytes,
      isLoopbackAllowed = false,
      isCutAllowed = false,
      isHttpAllowed = false,
    } = given;
    const url = new URL(address);
    const isLocal = isLoopbackAllowed && isLoopback(plainHost(url.hostname));
    const isSecure = url.protocol === 'https:' || (url.protocol === 'http:' && (isLocal || isHttpAllowed));
    if (!isSecure) throw new Error(`${shown(address)} is not an https:// address`);
    // Also where a proxy connects.
    this.checkLiteral(plainHost(url.hostname), isLocal);
    const {
      statusCode,
      headers: answered,
      body: stream,
    } = await request(url, {
      method,
      dispatcher: this.dispatcherFor(url, isLocal),
      signal: AbortSignal.timeout(timeoutMs),
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      headers: { 'user-agent': 'parley', ...headers },
      ...(body !== undefined && { body }),
    });
    // A body that is not read to its end reports that as an error.
    stream.on('error', () => undefined);
    return { status: statusCode, headers: answered, body: await bytesOf(stream, address, { maxBytes, isCutAllowed }) };
  }

  /**
   * Whether an address may be connected to, by what its name resolves to now. A name that is not resolved in time may be:
   * it is checked again when it is connected to. Nothing is connected to.
   *
   * @param options.timeoutMs for the resolution of the name, in milliseconds
   */
  async permits(
    address: string,
    {
      isLoopbackAllowed = false,
      timeoutMs,
    }: { readonly isLoopbackAllowed?: boolean | undefined; readonly timeoutMs: number },
  ): Promise<boolean> {
    const url = new URL(address);
    const host = plainHost(url.hostname);
    const isLocal = isLoopbackAllowed && isLoopback(host);
    if (isIP(host) > 0) return this.rules.permits(host, host, isLocal);
    // A proxy resolves the name itself.
    if (this.proxies.for(url)) return true;
    const resolved = await new Promise<readonly LookupAddress[]>((done) => {
      const timer = setTimeout(() => done([]), timeoutMs).unref();
      this.resolve(host, (error, addresses) => {
        clearTimeout(timer);
        done(error ? [] : addresses);
      });
    });
    return resolved.length === 0 || resolved.some((one) => this.rules.permits(host, one.address, isLocal));
  }

  /** Ends all connections. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.dispatchers.values()].map((dispatcher) => dispatcher.destroy()));
  }

  private checkLiteral(host: string, isLocal: boolean): void {
    if (isIP(host) > 0 && !this.rules.permits(host, host, isLocal)) throw refused(host, this.allowedBy);
  }

  /** @throws StartupError if a variable of the environment names a proxy that cannot be used */
  private dispatcherFor(url: URL, isLocal: boolean): Dispatcher {
    const proxy = this.proxies.for(url);
    const key = `${proxy?.origin ?? ''} ${isLocal}`;
    let dispatcher = this.dispatchers.get(key);
    if (!dispatcher) {
      dispatcher = new Agent({ connect: this.connector(proxy, isLocal) });
      this.dispatchers.set(key, dispatcher);
    }
    return dispatcher;
  }

  private connector(proxy: HttpProxy | undefined, isLocal: boolean): buildConnector.connector {
    const tls = this.parts.ca === undefined ? {} : { ca: this.parts.ca };
    if (proxy)
      return tunnelThrough(proxy, { tls: buildConnector({ timeout: CONNECT_MS, ...tls }), timeoutMs: CONNECT_MS });
    return buildConnector({ timeout: CONNECT_MS, lookup: this.lookup(isLocal), ...tls });
  }

  /** Resolves a name for one connection: only to addresses that may be connected to. */
  private lookup(isLocal: boolean): LookupFunction {
    return (host, { all }, done) => {
      this.resolve(host, (error, addresses) => {
        const permitted = addresses?.filter(({ address }) => this.rules.permits(host, address, isLocal)) ?? [];
        const [first] = permitted;
        if (error || !first) done(error ?? refused(host, this.allowedBy), []);
        else if (all === true) done(null, permitted);
        else done(null, first.address, first.family);
      });
    };
  }
}

const CONNECT_MS = 5000;

async function bytesOf(
  body: AsyncIterable<Buffer>,
  address: string,
  { maxBytes, isCutAllowed }: { readonly maxBytes: number; readonly isCutAllowed: boolean },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    // Leaving the loop destroys the body.
    if (length <= maxBytes) continue;
    if (isCutAllowed) return Buffer.concat(chunks).subarray(0, maxBytes);
    throw new Error(`${shown(address)} answers with more than ${maxBytes} bytes`);
  }
  return Buffer.concat(chunks);
}

/** A host without the brackets of IPv6. */
function plainHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1');
}

function refused(host: string, allowedBy: string): Error {
  return new Error(
    `${shown(host)} has no address that may be connected to: it is private or special, and ${allowedBy} does not name it`,
  );
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 200));
}
