import { BlockList, isIP, isIPv6 } from 'node:net';
import { StartupError } from './startup-error.js';

/** An HTTP proxy that a variable of the environment names. */
export interface HttpProxy {
  /** Scheme, host and port, such as `http://proxy.example:3128`. */
  readonly origin: string;
  /** The value of `Proxy-Authorization`; undefined if the variable has neither a user name nor a password. */
  readonly authorization: string | undefined;
}

/** The variables for a scheme: the first that is not empty names the proxy. */
const HTTP_VARIABLES = ['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'] as const;
const HTTPS_VARIABLES = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'] as const;
const EXCLUSIONS = ['no_proxy', 'NO_PROXY'] as const;
/** A proxy cannot reach this machine by these names. */
const THIS_MACHINE = ['localhost', '127.0.0.0/8', '::1'] as const;

/**
 * The proxies that the environment names: HTTP_PROXY for http://, HTTPS_PROXY for https:// (HTTP_PROXY if it is
 * absent), ALL_PROXY for both. Names in lower case come first; an empty variable counts as absent. NO_PROXY is a list
 * of host names, which include their subdomains, of addresses, networks and `*`, each with or without a port.
 */
export class EnvironmentProxies {
  private readonly excluded: readonly string[];

  constructor(private readonly env: NodeJS.ProcessEnv = process.env) {
    const list = this.text(this.firstOf(EXCLUSIONS));
    this.excluded = [...list.toLowerCase().split(/[,\s]+/), ...THIS_MACHINE].filter((item) => item !== '');
  }

  /**
   * The proxy for requests to an address; undefined: none.
   *
   * @throws StartupError that names the variable if it is not the address of an HTTP proxy
   */
  for(url: URL): HttpProxy | undefined {
    const variable = this.firstOf(url.protocol === 'https:' ? HTTPS_VARIABLES : HTTP_VARIABLES);
    if (variable === undefined || this.excludes(url)) return undefined;
    return parseProxy(variable, this.text(variable));
  }

  private excludes(url: URL): boolean {
    const host = plainHost(url.hostname);
    const port = url.port || (url.protocol === 'https:' ? '443' : '80');
    return this.excluded.some((item) => matches(item, host, port));
  }

  private firstOf(names: readonly string[]): string | undefined {
    return names.find((name) => this.text(name) !== '');
  }

  private text(name: string | undefined): string {
    return (name === undefined ? undefined : this.env[name])?.trim() ?? '';
  }
}

/** Whether an item of NO_PROXY excludes a host and port. */
function matches(item: string, host: string, port: string): boolean {
  const [, before, itsPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(item) ?? [];
  if (itsPort !== undefined && itsPort !== port) return false;
  if ((before ?? item) === '*') return true;
  const name = plainHost(before ?? item).replace(/^\*?\./, '');
  const [address = '', bits] = name.split('/');
  if (isIP(address) > 0) return isWithin(host, address, bits);
  return name !== '' && (host === name || host.endsWith(`.${name}`));
}

/** Whether a host is an address in the network `address/bits`. Without bits the network is one address. */
function isWithin(host: string, address: string, bits: string | undefined): boolean {
  const longest = isIPv6(address) ? 128 : 32;
  const prefix = bits === undefined ? longest : Number(bits === '' ? NaN : bits);
  if (isIP(host) !== isIP(address) || !(prefix >= 0 && prefix <= longest)) return false;
  const family = isIPv6(address) ? 'ipv6' : 'ipv4';
  const network = new BlockList();
  network.addSubnet(address, prefix, family);
  return network.check(host, family);
}

/** A host without the brackets of IPv6 and without the dot of the root. */
function plainHost(host: string): string {
  return host.replace(/[[\]]/g, '').replace(/\.$/, '');
}

/** An address without a scheme is that of an http:// proxy, as for curl. */
function parseProxy(variable: string, text: string): HttpProxy {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(text)?.[0];
  try {
    const url = new URL(scheme === undefined ? `http://${text}` : text);
    if (!/^https?:$/.test(url.protocol)) throw new Error('The scheme is not supported');
    const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)];
    const credentials = Buffer.from(`${user}:${password}`).toString('base64');
    return { origin: url.origin, authorization: user || password ? `Basic ${credentials}` : undefined };
  } catch {
    // The text may contain a password; so may the cause.
    const shown = `a text of ${text.length} characters${scheme === undefined ? '' : ` that begins with ${scheme}`}`;
    const expected = 'the address of an HTTP proxy, such as http://proxy.example:3128';
    throw new StartupError(`${variable} must be ${expected}, but is ${shown}`);
  }
}
