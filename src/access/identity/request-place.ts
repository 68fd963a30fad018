import type { IncomingMessage } from 'node:http';
import type { Networks, Origin } from '../../common/index.js';
import { HiddenProperty } from '../../runtime/index.js';
import { clientAddress } from '../network/client-address.js';
import { roughNetwork } from '../network/networks.js';

/** The ids under which requests are in the server's log. */
const requestIds = new HiddenProperty<IncomingMessage, string>('requestId');

/** Records the id under which a request is in the log, for what it decides. */
export function nameRequest(request: IncomingMessage, id: string): void {
  requestIds.set(request, id);
}

/** The id under which a request is in the log, if it has one. */
export function requestIdOf(request: IncomingMessage): string | undefined {
  return requestIds.get(request);
}

/** Where a request comes from, as far as it may be stored. */
export function placeOf(
  request: IncomingMessage,
  trusted: Networks | undefined,
): Pick<Origin, 'requestId' | 'network'> {
  const network = roughNetwork(clientAddress(request, trusted)) ?? null;
  return { requestId: requestIdOf(request) ?? null, network };
}
