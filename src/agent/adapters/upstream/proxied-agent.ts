import { Agent, buildConnector, type Dispatcher } from 'undici';
import { EnvironmentProxies, type HttpProxy } from '../../../common/index.js';
import { tunnelThrough } from '../../../common/index.js';
import { type CarriedRequest, countedPool } from './counted-client.js';

/** A request without its address. */
export type RoutedRequest = Omit<CarriedRequest, 'origin' | 'path' | 'headers'> & {
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Sends requests to their hosts, or through the proxies of the environment: to https:// hosts through a tunnel, to
 * http:// hosts as requests to the proxy, because proxies allow tunnels to few ports only.
 */
export class ProxiedAgent {
  private readonly proxies = new EnvironmentProxies();
  private readonly direct: Agent;
  /** By the address and the use of the proxy. */
  private readonly agents = new Map<string, Agent>();

  /** @param options of the connections to each host */
  constructor(private readonly options: Agent.Options) {
    this.direct = new Agent({ ...options, factory: countedPool });
  }

  /** @throws StartupError if a variable of the environment names a proxy for the address that cannot be used */
  check(url: URL): void {
    this.proxies.for(url);
  }

  /** Sends a request. The handler receives its failure. @throws StartupError as `check` does */
  send(url: URL, request: RoutedRequest, handler: Dispatcher.DispatchHandler): void {
    const proxy = this.proxies.for(url);
    const { origin, host, pathname, search } = url;
    const path = pathname + search;
    if (!proxy) this.direct.dispatch({ origin, path, ...request }, handler);
    else if (url.protocol === 'https:') this.tunnelling(proxy).dispatch({ origin, path, ...request }, handler);
    else {
      const { authorization } = proxy;
      const own = { host, ...(authorization && { 'proxy-authorization': authorization }) };
      const headers = Object.assign({}, request.headers, own);
      this.forwarding(proxy).dispatch({ origin: proxy.origin, path: origin + path, ...request, headers }, handler);
    }
  }

  /**
   * The connections to a host for libraries that send requests themselves. To http:// hosts they are tunnels too.
   *
   * @throws StartupError as `check` does
   */
  dispatcherFor(url: URL): Dispatcher {
    const proxy = this.proxies.for(url);
    return proxy ? this.tunnelling(proxy) : this.direct;
  }

  /** Ends all connections, and the requests on them. */
  async destroy(): Promise<void> {
    await Promise.all([this.direct, ...this.agents.values()].map((agent) => agent.destroy()));
  }

  private tunnelling(proxy: HttpProxy): Agent {
    return this.agentFor(`tunnel ${proxy.origin}`, () => tunnelThrough(proxy));
  }

  /** The certificate is that of the proxy, not of the host that the request names. */
  private forwarding(proxy: HttpProxy): Agent {
    return this.agentFor(`forward ${proxy.origin}`, () => {
      const connect = buildConnector({});
      return (options, callback) => connect({ ...options, servername: '' }, callback);
    });
  }

  private agentFor(key: string, connector: () => buildConnector.connector): Agent {
    const agent = this.agents.get(key) ?? new Agent({ ...this.options, connect: connector(), factory: countedPool });
    this.agents.set(key, agent);
    return agent;
  }
}
