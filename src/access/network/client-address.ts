import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Networks } from '../../common/index.js';

/**
 * The network address of the client that sends a request: that of the connection or, if it is a trusted proxy's, the
 * last one of `X-Forwarded-For` that is not (contract access, section 3.3). What clients put into the header
 * themselves stands before that, and does not count. Empty for a connection that is gone.
 *
 * @param trusted the proxies whose header is believed (`TRUSTED_PROXIES`); undefined for none
 */
export function clientAddress({ socket, headers }: IncomingMessage, trusted: Networks | undefined): string {
  let address = socket.remoteAddress ?? '';
  if (!trusted?.includes(address)) return address;
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',');
  for (const item of forwarded.reverse()) {
    const next = item.trim();
    // Nobody can say where such an entry came from, so the proxy that sent it counts.
    if (isIP(next) === 0) return address;
    address = next;
    if (!trusted.includes(address)) return address;
  }
  return address;
}
