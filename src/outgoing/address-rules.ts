import { isIPv6 } from 'node:net';
import { Networks, plainAddress } from '../common/index.js';
import type { AllowedTargets } from './outgoing.settings.js';

/** Special-purpose networks of IPv4 (RFC 6890 and its successors): private, loopback, link-local, reserved, multicast. */
const SPECIAL_IPV4 = new Networks([
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  ...['224.0.0.0/4', '240.0.0.0/4'],
]);
/** The unicast addresses of the internet; everything else of IPv6 is special. */
const GLOBAL_IPV6 = new Networks(['2000::/3']);
/** Special networks among them, some of which carry an address of IPv4. */
const SPECIAL_IPV6 = new Networks(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);
const LOOPBACK = new Networks(['127.0.0.0/8', '::1']);

/** Which addresses the server may connect to by itself (contract access, section 10, rule 1). */
export class AddressRules {
  constructor(private readonly allowed: AllowedTargets) {}

  /**
   * Whether an address may be connected to.
   *
   * @param host the name that was resolved to the address, or the address itself
   * @param isLoopbackAllowed whether the request may go to this machine
   */
  permits(host: string, address: string, isLoopbackAllowed: boolean): boolean {
    const plain = plainAddress(address);
    if (this.allowed.hosts.has(host.toLowerCase().replace(/\.$/, '')) || this.allowed.networks.includes(plain))
      return true;
    if (isLoopbackAllowed && LOOPBACK.includes(plain)) return true;
    return isIPv6(plain) ? GLOBAL_IPV6.includes(plain) && !SPECIAL_IPV6.includes(plain) : !SPECIAL_IPV4.includes(plain);
  }
}
