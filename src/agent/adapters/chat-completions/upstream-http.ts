import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { AnswerBody } from './answer-body.js';

/** How connections to the model server are kept. */
export interface ConnectionSettings {
  /** Connections to one host at a time; further calls wait for a free one. Undefined: no limit. */
  readonly maxConnections?: number | undefined;
  /** How long an unused connection is kept, in milliseconds. A shorter `Keep-Alive` of the server wins. */
  readonly keepAliveMs?: number | undefined;
}

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'] as const;
const PROXY_VARIABLES = ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'] as const;

/**
 * The HTTP connections of a model client: a pool per host, through the proxy that HTTP_PROXY, HTTPS_PROXY
 * and NO_PROXY name; never through a proxy to this machine. Only connecting has a time-out here; a `Watchdog` limits each call.
 */
export class UpstreamHttp {
  private dispatcher: Dispatcher | undefined;

  constructor(private readonly settings: ConnectionSettings = {}) {}

  /** Sends a request. @param onArrival see `AnswerBody` */
  post(url: URL, headers: Readonly<Record<string, string>>, body: string, onArrival: () => void): AnswerBody {
    const answer = new AnswerBody(onArrival);
    this.dispatcher ??= this.open();
    const { origin, pathname, search } = url;
    this.dispatcher.dispatch(
      { origin, path: pathname + search, method: 'POST', headers: { ...headers }, body },
      answer,
    );
    return answer;
  }

  /** Ends all connections, and the calls on them. */
  async close(): Promise<void> {
    await this.dispatcher?.destroy();
  }

  private open(): Dispatcher {
    const { maxConnections, keepAliveMs } = this.settings;
    const options: Agent.Options = {
      headersTimeout: 0,
      bodyTimeout: 0,
      ...(maxConnections === undefined ? {} : { connections: maxConnections }),
      ...(keepAliveMs === undefined ? {} : { keepAliveTimeout: keepAliveMs }),
    };
    const excluded = process.env['no_proxy'] ?? process.env['NO_PROXY'] ?? '';
    const isProxied = excluded !== '*' && PROXY_VARIABLES.some((name) => process.env[name]);
    const noProxy = [excluded, ...LOOPBACK].join(',');
    return isProxied ? new EnvHttpProxyAgent({ ...options, noProxy }) : new Agent(options);
  }
}
