import { Networks, parseNetwork } from '../common/index.js';
import { type Rule, setting, settings, splitList } from '../config/index.js';

/** Hosts and networks that the server may connect to although they are not on the internet. */
export interface AllowedTargets {
  /** In lower case. Whatever address such a host has is allowed. */
  readonly hosts: ReadonlySet<string>;
  readonly networks: Networks;
}

/** No such hosts and networks. */
export const NO_TARGETS: AllowedTargets = { hosts: new Set(), networks: new Networks([]) };

/** Where the server's own requests may go. */
export class OutgoingSettings extends settings('Outgoing requests', {
  allowed: setting('OUTGOING_ALLOWED', allowedTargets(), {
    default: (): AllowedTargets => NO_TARGETS,
    unset: 'none',
    description:
      'Hosts and networks with private, loopback or other special addresses that the server may connect to by itself, separated by commas, such as `login.corp.example,10.20.0.0/16`. Needed for an OpenID provider on a private network. Models and MCP servers are not affected. See [access](access.md#a-provider-on-a-private-network).',
  }),
}) {}

/** Host names, addresses and networks. A network must not be the whole internet. */
export function allowedTargets(): Rule<AllowedTargets> {
  return {
    expectation:
      'a comma-separated list of host names without ports, IP addresses and networks such as 10.0.0.0/8, none with the prefix /0',
    parse: (text) => {
      const items = splitList(text).map((item) => item.toLowerCase());
      const networks = items.filter((item) => (parseNetwork(item)?.prefix ?? 0) > 0);
      const hosts = items.filter((item) => parseNetwork(item) === undefined);
      const areHosts = hosts.every((host) => /^(?=.{1,253}$)[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(host));
      if (items.length === 0 || !areHosts || hosts.length + networks.length < items.length) return undefined;
      return { hosts: new Set(hosts), networks: new Networks(networks) };
    },
  };
}
