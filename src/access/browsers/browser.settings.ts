import {
  type ConfigurationProblem,
  hostNames,
  isLoopback,
  parseUrl,
  type Rule,
  ServerSettings,
  setting,
  settings,
  splitList,
} from '../../config/index.js';
import { AccessSettings } from '../access.settings.js';

/** Pages of this machine: what a developer runs next to a server without authentication. */
const LOCAL_ORIGINS: readonly string[] = ['http', 'https'].flatMap((scheme) =>
  ['localhost', '127.0.0.1', '[::1]'].map((host) => `${scheme}://${host}:*`),
);

/** Which pages may call the server from a browser, and under which names it can be reached. */
export class BrowserSettings extends settings('Browsers', {
  corsOrigins: setting('CORS_ORIGINS', origins(), {
    default: (source) => (source.slice(AccessSettings).isAuthenticated ? [] : LOCAL_ORIGINS),
    unset: 'every port of localhost, 127.0.0.1 and [::1] if AUTH is none, otherwise none',
    description:
      'Origins whose pages may call the server from a browser, separated by commas; the port `*` stands for every port. Requests of pages of other origins that could change something are refused. Credentials of browsers are never allowed.',
  }),
  allowedHosts: setting('ALLOWED_HOSTS', hostNames(), {
    default: () => [],
    unset: 'the names of this machine if HOST is loopback and AUTH is none, otherwise the host of PUBLIC_BASE_URL',
    description:
      'Further host names under which the server can be reached, without ports and separated by commas. Requests for other hosts are refused.',
  }),
}) {
  /** Whether only the names of this machine, and configured ones, are the server's. */
  get isLocal(): boolean {
    return !this.source.slice(AccessSettings).isAuthenticated && isLoopback(this.source.slice(ServerSettings).host);
  }

  override problems(unusable: ReadonlySet<string>): readonly ConfigurationProblem[] {
    if (unusable.has('AUTH') || !this.corsOrigins.includes('*')) return [];
    if (!this.source.slice(AccessSettings).methods.includes('proxy')) return [];
    const message = 'must not be *, because AUTH has proxy: pages of all origins could use the session of the proxy';
    return [{ name: 'CORS_ORIGINS', message }];
  }
}

/** `*`, or origins (`scheme://host[:port]`) separated by commas. */
function origins(): Rule<readonly string[]> {
  return {
    expectation: '* or a comma-separated list of origins such as https://chat.example.org or http://localhost:*',
    parse: (text) => {
      const items = splitList(text);
      return items.every((item) => item === '*' || isOrigin(item.replace(/:\*$/, ''))) ? items : undefined;
    },
  };
}

/** An origin has no path, query or user: browsers send it like that. */
function isOrigin(item: string): boolean {
  return parseUrl(item) !== undefined && /^[a-z][a-z0-9+.-]*:\/\/[^/?#@]+$/i.test(item);
}
