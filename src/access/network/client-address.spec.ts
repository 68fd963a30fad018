import type { IncomingMessage } from 'node:http';
import { Networks } from '../../common/index.js';
import { clientAddress } from './client-address.js';

describe('clientAddress', () => {
  const trusted = new Networks(['10.0.0.0/8', '127.0.0.1']);

  function address(peer: string, forwarded: string | undefined, networks: Networks | undefined): string {
    const headers = { 'x-forwarded-for': forwarded };
    return clientAddress({ socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage, networks);
  }

  it.each([
    ['is that of the connection without a header', '10.0.0.1', undefined, '10.0.0.1'],
    ['is that of the connection if its peer is no trusted proxy', '192.0.2.7', '198.51.100.1', '192.0.2.7'],
    ['is the last one that the proxy has seen', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['does not believe what the client has sent itself', '10.0.0.1', '203.0.113.5, 198.51.100.1', '198.51.100.1'],
    ['skips proxies in a row', '127.0.0.1', '203.0.113.5, 198.51.100.1, 10.9.9.9, 10.1.1.1', '198.51.100.1'],
    ['is the first proxy if all are trusted', '127.0.0.1', '10.9.9.9, 10.1.1.1', '10.9.9.9'],
    ['stops at an entry that is not an address', '10.0.0.1', '198.51.100.1, unknown, 10.1.1.1', '10.1.1.1'],
    ['may be an IPv6 address', '::ffff:10.0.0.1', '2001:db8::7', '2001:db8::7'],
  ])('%s', (_what, peer, forwarded, expected) => {
    expect(address(peer, forwarded, trusted)).toBe(expected);
  });

  it('is that of the connection without trusted proxies', () => {
    expect(address('10.0.0.1', '198.51.100.1', undefined)).toBe('10.0.0.1');
  });
});
