import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, type Dispatcher, request } from 'undici';
import { EnvironmentProxies, tunnelThrough } from '../../common/index.js';
import { isLoopbackUrl, isSecureUrl } from './issuers.js';

const TIMEOUT_MS = 5000;
const LONGEST_ANSWER = 1024 * 1024;
const OPTIONS = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS, connect: { timeout: TIMEOUT_MS } };

/**
 * Reads JSON of OpenID providers (contract access, section 3.2): over https, or from this machine; without
 * redirects; within 5 s; at most 1 MiB. Through the proxies of the environment.
 */
@Injectable()
export class ProviderHttp implements OnApplicationShutdown {
  private readonly proxies = new EnvironmentProxies();
  /** By the address of the proxy; the direct connections have none. */
  private readonly dispatchers = new Map<string, Dispatcher>();

  /**
   * The content of an address.
   *
   * @param issuer on whose behalf: only an issuer on this machine may send the server to this machine
   * @throws Error that says what is wrong, without the content
   */
  async json(address: string, issuer: string): Promise<unknown> {
    if (!isSecureUrl(address)) throw new Error(`${shown(address)} is not an https:// address`);
    if (isLoopbackUrl(new URL(address)) && !isLoopbackUrl(new URL(issuer))) {
      throw new Error(`${shown(address)} is on this machine`);
    }
    const dispatcher = this.dispatcherFor(new URL(address));
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { statusCode, body } = await request(address, {
      dispatcher,
      signal,
      headers: { accept: 'application/json', 'user-agent': 'parley' },
    });
    // A body that is not read to its end reports that as an error.
    body.on('error', () => undefined);
    if (statusCode !== 200) {
      body.destroy();
      throw new Error(`${shown(address)} answers with the status ${statusCode}`);
    }
    return JSON.parse(await textOf(body, address)) as unknown;
  }

  /** Ends all connections. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.dispatchers.values()].map((dispatcher) => dispatcher.destroy()));
  }

  /** @throws StartupError if a variable of the environment names a proxy that cannot be used */
  private dispatcherFor(url: URL): Dispatcher {
    const proxy = this.proxies.for(url);
    const key = proxy?.origin ?? '';
    let dispatcher = this.dispatchers.get(key);
    if (!dispatcher) {
      const connect = proxy ? tunnelThrough(proxy, { timeoutMs: TIMEOUT_MS }) : OPTIONS.connect;
      dispatcher = new Agent({ ...OPTIONS, connect });
      this.dispatchers.set(key, dispatcher);
    }
    return dispatcher;
  }
}

async function textOf(body: AsyncIterable<Buffer>, address: string): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    // Leaving the loop destroys the body.
    if (length > LONGEST_ANSWER) throw new Error(`${shown(address)} answers with more than ${LONGEST_ANSWER} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function shown(address: string): string {
  return JSON.stringify(address.slice(0, 200));
}
