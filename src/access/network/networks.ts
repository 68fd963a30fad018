import { isIP } from 'node:net';
import { Networks, parseNetwork, plainAddress } from '../../common/index.js';
import { type Rule, splitList } from '../../config/index.js';

/** IP addresses and networks separated by commas, none of which is the whole internet. */
export function networkList(): Rule<Networks> {
  return {
    expectation: 'a comma-separated list of IP addresses and networks such as 10.0.0.0/8, none with the prefix /0',
    parse: (text) => {
      const items = splitList(text);
      const isValid = items.every((item) => (parseNetwork(item)?.prefix ?? 0) > 0);
      return items.length > 0 && isValid ? new Networks(items) : undefined;
    },
  };
}

/** How much of an address is kept where only its network may be stored. */
const STORED_GROUPS = 3;

/** The network of an address, as far as it may be stored: /24 of IPv4, /48 of IPv6. Undefined for another text. */
export function roughNetwork(address: string): string | undefined {
  const plain = plainAddress(address);
  const version = isIP(plain);
  if (version === 4) return `${plain.split('.').slice(0, STORED_GROUPS).join('.')}.0/24`;
  return version === 6 ? `${groupsOf(plain).slice(0, STORED_GROUPS).join(':')}::/48` : undefined;
}

/** The eight groups of an IPv6 address, without leading zeros. */
function groupsOf(address: string): string[] {
  // The URL parser writes an IPv4 address at the end as two groups.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [before = [], after = []] = canonical.split('::').map((part) => (part === '' ? [] : part.split(':')));
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
}
