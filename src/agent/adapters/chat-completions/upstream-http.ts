import { ProxiedAgent, type RoutedRequest } from '../upstream/proxied-agent.js';
import { AnswerBody } from './answer-body.js';

/** How connections to the model server are kept. */
export interface ConnectionSettings {
  /** Connections to one host at a time; further calls wait for a free one. Undefined: no limit. */
  readonly maxConnections?: number | undefined;
  /** How long an unused connection is kept, in milliseconds. A shorter `Keep-Alive` of the server wins. */
  readonly keepAliveMs?: number | undefined;
}

/**
 * The HTTP connections of a model client: a pool per host, through the proxies of the environment
 * (`EnvironmentProxies`). Only connecting has a time-out here; a `Watchdog` limits each call.
 */
export class UpstreamHttp {
  private readonly agent: ProxiedAgent;

  /**
   * @param url where requests will go
   * @throws StartupError if a variable of the environment names a proxy for it that cannot be used
   */
  constructor({ maxConnections, keepAliveMs }: ConnectionSettings, url: URL) {
    this.agent = new ProxiedAgent({
      headersTimeout: 0,
      bodyTimeout: 0,
      ...(maxConnections === undefined ? {} : { connections: maxConnections }),
      ...(keepAliveMs === undefined ? {} : { keepAliveTimeout: keepAliveMs, keepAliveMaxTimeout: keepAliveMs }),
    });
    this.agent.check(url);
  }

  /** Sends a request. @param onArrival see `AnswerBody` @throws StartupError as the constructor does */
  post(url: URL, headers: Readonly<Record<string, string>>, body: string, onArrival: () => void): AnswerBody {
    const send = (): void => this.agent.send(url, request, answer);
    const answer = new AnswerBody(onArrival, send);
    const request: RoutedRequest = { method: 'POST', headers, body, onCarrier: (carrier) => answer.carriedBy(carrier) };
    send();
    return answer;
  }

  /** As `post`, without a body. */
  get(url: URL, headers: Readonly<Record<string, string>>, onArrival: () => void): AnswerBody {
    const send = (): void => this.agent.send(url, request, answer);
    const answer = new AnswerBody(onArrival, send);
    const request: RoutedRequest = { method: 'GET', headers, onCarrier: (carrier) => answer.carriedBy(carrier) };
    send();
    return answer;
  }

  /** Ends all connections, and the calls on them. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }
}
