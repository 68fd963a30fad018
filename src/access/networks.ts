import { BlockList, isIP } from 'node:net';
import { type Rule, splitList } from '../config/index.js';

const MAPPED_IPV4 = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;

/** A set of IP networks. */
export class Networks {
  private readonly list = new BlockList();

  /** @param items addresses, and networks such as `10.0.0.0/8` or `fd00::/8`; as `parseNetwork` accepts them */
  constructor(readonly items: readonly string[]) {
    for (const item of items) {
      const network = parseNetwork(item);
      if (!network) throw new TypeError(`${item} is not an IP network`);
      this.list.addSubnet(network.address, network.prefix, network.family);
    }
  }

  /** Whether an address is in one of the networks. False for a text that is not an address. */
  includes(address: string): boolean {
    const plain = MAPPED_IPV4.exec(address)?.[1] ?? address.split('%', 1)[0] ?? '';
    const version = isIP(plain);
    return version !== 0 && this.list.check(plain, version === 4 ? 'ipv4' : 'ipv6');
  }
}

/** A network with the number of bits that its addresses share. */
export interface Network {
  readonly address: string;
  readonly prefix: number;
  readonly family: 'ipv4' | 'ipv6';
}

/** The network that a text such as `10.0.0.0/8` or `::1` names; undefined for any other text. */
export function parseNetwork(text: string): Network | undefined {
  const [, address = '', bits] = /^([0-9A-Fa-f:.]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const version = isIP(address);
  const longest = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? longest : Number(bits);
  if (version === 0 || prefix > longest) return undefined;
  return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}

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
  const plain = MAPPED_IPV4.exec(address)?.[1] ?? address.split('%', 1)[0] ?? '';
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
