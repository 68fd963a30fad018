import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { isLoopbackUrl, isSecureUrl } from './issuers.js';

const TIMEOUT_MS = 5000;
const LONGEST_ANSWER = 1024 * 1024;
const PROXY_VARIABLES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'] as const;

/**
 * Reads JSON of OpenID providers (contract access, section 3.2): over https, or from this machine; without
 * redirects; within 5 s; at most 1 MiB.
 */
@Injectable()
export class ProviderHttp implements OnApplicationShutdown {
  private dispatcher: Dispatcher | undefined;

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
    this.dispatcher ??= open();
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const { statusCode, body } = await request(address, {
      dispatcher: this.dispatcher,
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
    await this.dispatcher?.destroy();
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

/** Through the proxy that the environment names, never to this machine through a proxy. */
function open(): Dispatcher {
  const options = { headersTimeout: TIMEOUT_MS, bodyTimeout: TIMEOUT_MS, connect: { timeout: TIMEOUT_MS } };
  const isProxied = PROXY_VARIABLES.some((name) => process.env[name]);
  const noProxy = [process.env['no_proxy'] ?? process.env['NO_PROXY'] ?? '', 'localhost', '127.0.0.1', '[::1]'].join(
    ',',
  );
  return isProxied ? new EnvHttpProxyAgent({ ...options, noProxy }) : new Agent(options);
}

function shown(address: string): string {
  return JSON.stringify(address.slice(0, 200));
}
