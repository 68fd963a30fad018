import { type IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { AppError } from '../../common/index.js';
import { ServerSettings } from '../../config/index.js';
import { AccessSettings } from '../access.settings.js';
import { isOpen, type Need } from '../needs.decorator.js';
import { BrowserSettings } from './browser.settings.js';

/** Methods that change nothing. */
const SAFE_METHODS: ReadonlySet<string | undefined> = new Set(['GET', 'HEAD', 'OPTIONS']);
const LOCAL_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Refuses what a browser sends for pages that may not use the server: requests of foreign origins, and requests for a
 * host name that is not the server's, which a page can make its own name stand for (contract access, section 3.7).
 */
@Injectable()
export class BrowserPolicy {
  /** The host names of the server; undefined if every name is accepted. */
  private readonly hosts: ReadonlySet<string> | undefined;
  private readonly isLocal: boolean;
  private readonly origins: ReadonlySet<string>;
  /** The origins that are allowed with every port, as they are without one. */
  private readonly anyPort: ReadonlySet<string>;
  private readonly allowsAll: boolean;
  /** Whether a browser may send a credential by itself: the session of the proxy. */
  private readonly hasSessions: boolean;

  constructor(browsers: BrowserSettings, access: AccessSettings, server: ServerSettings) {
    const hosts = [...browsers.allowedHosts, ...server.publicBases.map((base) => new URL(base).hostname)];
    this.isLocal = browsers.isLocal;
    this.hosts = hosts.length > 0 || this.isLocal ? new Set(hosts) : undefined;
    const listed = browsers.corsOrigins.map((origin) => origin.toLowerCase());
    this.allowsAll = listed.includes('*');
    this.anyPort = new Set(listed.filter((origin) => origin.endsWith(':*')).map((origin) => origin.slice(0, -2)));
    this.origins = new Set([...listed, ...server.publicBases.map((base) => new URL(base).origin)]);
    this.hasSessions = access.methods.includes('proxy');
  }

  /**
   * Checks the headers that a browser sets.
   *
   * @param need of the route. Probes may name the server by its address
   * @param options.isStrict true: methods that change nothing are checked too, and not all origins are allowed
   * @throws AppError PERMISSION_DENIED for a foreign host or origin, INVALID_PARAMETER for two hosts
   */
  check(request: IncomingMessage, need: Need, { isStrict = false }: { readonly isStrict?: boolean } = {}): void {
    this.checkHost(request, isStrict ? 'caller' : need);
    const { origin } = request.headers;
    if (isStrict) {
      if (origin === undefined || this.isListed(origin) || isOwn(origin, request)) return;
      throw foreignPage();
    }
    const isSafe = SAFE_METHODS.has(request.method) && request.headers.upgrade === undefined;
    if (isSafe && !(this.hasSessions && isCrossSite(request) && !isOpen(need))) return;
    if (origin === undefined ? !isSafe : this.isAllowed(origin) || isOwn(origin, request)) return;
    throw foreignPage();
  }

  /** Whether the pages of an origin may use the server from a browser. */
  isAllowed(origin: string): boolean {
    return this.allowsAll || this.isListed(origin);
  }

  private isListed(origin: string): boolean {
    return this.origins.has(origin) || this.anyPort.has(origin.replace(/:\d+$/, ''));
  }

  private checkHost({ headers, rawHeaders }: IncomingMessage, need: Need): void {
    let count = 0;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index];
      if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
    }
    if (count > 1) throw new AppError('INVALID_PARAMETER', 'The request must have one Host header');
    const { host } = headers;
    if (!this.hosts || host === undefined) return;
    const name = host.replace(/:\d*$/, '').toLowerCase();
    if (this.hosts.has(name) || (this.isLocal && LOCAL_NAME.test(name))) return;
    // No page can make an address its name, and orchestrators probe by address.
    if (isOpen(need) && isIP(name.replace(/^\[|\]$/g, '')) !== 0) return;
    throw new AppError('PERMISSION_DENIED', 'The server is not reachable under this host name');
  }
}

function foreignPage(): AppError {
  return new AppError('PERMISSION_DENIED', 'Pages of this origin may not use the server');
}

function isCrossSite({ headers }: IncomingMessage): boolean {
  return headers['sec-fetch-site'] === 'cross-site';
}

/** The host was checked before, so it is the server's. */
function isOwn(origin: string, { headers }: IncomingMessage): boolean {
  return URL.canParse(origin) && new URL(origin).host === headers.host?.toLowerCase();
}
