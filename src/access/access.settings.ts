import {
  choice,
  type ConfigurationProblem,
  flag,
  isLoopback,
  keyList,
  path,
  type Rule,
  ServerSettings,
  setting,
  settings,
  splitList,
} from '../config/index.js';
import type { AuthenticationMethod } from './identity/identity.js';
import { networkList } from './network/networks.js';
import { readRoles, type Roles } from './identity/roles.js';

const METHODS: readonly AuthenticationMethod[] = ['keys', 'oidc', 'proxy'];

/** How callers are authenticated, and what they may say about users. */
export class AccessSettings extends settings('Access', {
  methods: setting('AUTH', authentication(), {
    default: () => [],
    unset: '`none` if HOST is loopback; otherwise the server does not start',
    description:
      'How callers are authenticated: `keys` (API keys), `oidc` (tokens of an OpenID provider), `proxy` (a proxy that has authenticated them), several separated by commas, or `none`. See [access](access.md).',
  }),
  allowUnauthenticated: setting('ALLOW_UNAUTHENTICATED', flag(), {
    default: false,
    description:
      'Allows `AUTH=none` with an address other than loopback: everyone who can reach the server can use it.',
  }),
  actAsMismatch: setting('ACT_AS_MISMATCH', choice('refuse', 'ignore'), {
    default: 'refuse',
    description:
      "What happens when a user's own credential sends a request that names another user: `refuse` answers 403, `ignore` takes the user of the credential.",
  }),
  trustedProxies: setting('TRUSTED_PROXIES', networkList(), {
    unset: 'none',
    description:
      'Networks of the proxies in front of the server, separated by commas. Their X-Forwarded-For says which address a client has, for limits and for keys that are bound to networks.',
  }),
  rolesFile: setting('ROLES_FILE', path(), {
    unset: 'the roles `user`, `service`, `approver`, `auditor`, `admin` and `operator`',
    description:
      'JSON file with the roles that tokens and proxies may give to users, each with its scopes. It replaces the default roles. See [access](access.md#scopes-and-roles).',
  }),
  ticketKeys: setting('ACCESS_TICKET_KEYS', keyList(), {
    unset: 'one key, generated when it is first needed and kept in DATA_DIR',
    secret: true,
    description:
      'Keys for tickets as `kid:secret`, separated by commas. The first signs, all are accepted. All servers on one PostgreSQL database need the same keys: a server with others does not start.',
  }),
}) {
  readonly #rolesReading = readRoles(this.rolesFile);

  /** The roles of `ROLES_FILE`, or the default ones. */
  readonly roles: Roles = this.#rolesReading.roles;

  /** False: whoever reaches the server may use it. */
  get isAuthenticated(): boolean {
    return this.methods.length > 0;
  }

  override problems(unusable: ReadonlySet<string>): readonly ConfigurationProblem[] {
    const roles = this.#rolesReading.problems.map((message) => ({ name: 'ROLES_FILE', message }));
    const { host } = this.source.slice(ServerSettings);
    if (unusable.has('AUTH') || this.isAuthenticated || this.allowUnauthenticated || isLoopback(host)) return roles;
    const message = `must be keys, oidc or proxy, because other machines may reach HOST ${host}; or set ALLOW_UNAUTHENTICATED=true to let everyone who reaches the server use it`;
    return [{ name: 'AUTH', message }, ...roles];
  }

  override warnings(): readonly string[] {
    const { host } = this.source.slice(ServerSettings);
    if (this.isAuthenticated || isLoopback(host)) return [];
    return [
      `HOST is ${host}, which other machines may reach, and AUTH is none: everyone who can reach this port can use the agent and read every session.`,
    ];
  }
}

/** `none`, or methods separated by commas. */
function authentication(): Rule<readonly AuthenticationMethod[]> {
  return {
    expectation: `none, or a comma-separated list of ${METHODS.join(', ')}`,
    parse: (text) => {
      const items = splitList(text);
      if (items.length === 1 && items[0] === 'none') return [];
      const methods = METHODS.filter((method) => items.includes(method));
      return methods.length > 0 && methods.length === items.length ? methods : undefined;
    },
  };
}
