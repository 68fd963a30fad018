import { BlockList, isIP } from 'node:net';

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
    const plain = plainAddress(address);
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

/** An address without the prefix of an IPv4 address in IPv6, and without a zone. */
export function plainAddress(address: string): string {
  return MAPPED_IPV4.exec(address)?.[1] ?? address.split('%', 1)[0] ?? '';
}
