import { type ConfigurationProblem, type Rule, setting, settings, token } from '../../config/index.js';
import { AccessSettings } from '../access.settings.js';
import { networkList } from '../network/networks.js';

/** Headers that cannot name a user, a tenant or roles, because they already have a meaning. */
const TAKEN = new Set(['authorization', 'x-api-key', 'x-proxy-secret', 'host', 'cookie', 'content-type', 'origin']);

/** The proxy that has authenticated the users (contract access, section 3.3). */
export class ProxySettings extends settings('Authenticating proxy', {
  peers: setting('PROXY_AUTH_PEERS', networkList(), {
    unset: 'none',
    description:
      'Addresses and networks of the proxies that are trusted with `AUTH=proxy`, separated by commas. The address of the TCP connection counts, never a header.',
  }),
  userHeader: setting('PROXY_AUTH_USER_HEADER', headerName(), {
    default: 'X-Forwarded-User',
    description: 'The header in which the proxy sends the user.',
  }),
  tenant: setting('PROXY_AUTH_TENANT', token(64), {
    unset: '`default`, unless PROXY_AUTH_TENANT_HEADER is set',
    description: 'The tenant of all users of the proxy.',
  }),
  tenantHeader: setting('PROXY_AUTH_TENANT_HEADER', headerName(), {
    unset: 'none',
    description: 'The header in which the proxy sends the tenant of the user, instead of `PROXY_AUTH_TENANT`.',
  }),
  rolesHeader: setting('PROXY_AUTH_ROLES_HEADER', headerName(), {
    unset: 'none: every user of the proxy has the role `user`',
    description:
      'The header in which the proxy sends the roles of the user, separated by commas. Names that are not roles of this server are ignored; a user without roles may do nothing.',
  }),
  secret: setting('PROXY_AUTH_SECRET', token(512), {
    unset: 'none: the address of the proxy is enough',
    secret: true,
    description: 'A secret that the proxy must send in `X-Proxy-Secret`.',
  }),
}) {
  override problems(unusable: ReadonlySet<string>): readonly ConfigurationProblem[] {
    if (!this.source.slice(AccessSettings).methods.includes('proxy')) return [];
    const problems: ConfigurationProblem[] = [];
    if (this.peers === undefined && !unusable.has('PROXY_AUTH_PEERS')) {
      problems.push({ name: 'PROXY_AUTH_PEERS', message: 'must be set, because AUTH includes proxy' });
    }
    if (this.tenant !== undefined && this.tenantHeader !== undefined) {
      problems.push({ name: 'PROXY_AUTH_TENANT_HEADER', message: 'must not be set together with PROXY_AUTH_TENANT' });
    }
    const headers = [this.userHeader, this.tenantHeader, this.rolesHeader].filter((name) => name !== undefined);
    if (new Set(headers.map((name) => name.toLowerCase())).size < headers.length) {
      problems.push({ name: 'PROXY_AUTH_USER_HEADER', message: 'must differ from the other headers of the proxy' });
    }
    return problems;
  }
}

function headerName(): Rule<string> {
  return {
    expectation: 'the name of a header that has no other meaning',
    parse: (text) => (/^[A-Za-z0-9-]{1,64}$/.test(text) && !TAKEN.has(text.toLowerCase()) ? text : undefined),
  };
}
