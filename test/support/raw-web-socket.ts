import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const HANDSHAKE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

/** The opening request of a WebSocket as a client sends it. */
export function openingRequest(target: string, headers: readonly string[] = []): string {
  return [`GET ${target} HTTP/1.1`, 'Host: 127.0.0.1', ...HANDSHAKE, ...headers, '', ''].join('\r\n');
}

/**
 * A frame of a client, whose mask is zeros, so that one buffer serves many connections.
 *
 * @param opcode 1 text, 2 binary, 8 close, 9 ping
 * @param length what the head says; default: that of the payload
 */
export function clientFrame(payload: string | Buffer, opcode = 1, length = Buffer.byteLength(payload)): Buffer {
  const head = Buffer.alloc(length < 126 ? 2 : length < 65_536 ? 4 : 10);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | (length < 126 ? length : length < 65_536 ? 126 : 127);
  if (head.length === 4) head.writeUInt16BE(length, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(length), 2);
  return Buffer.concat([head, Buffer.alloc(4), Buffer.from(payload)]);
}

/** A connection that is an open WebSocket. Reads nothing more than its caller does. @throws Error if it is refused */
export async function openRawWebSocket(port: number, headers: readonly string[] = []): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write(openingRequest('/v1/responses', headers));
  const [head] = (await once(socket, 'data')) as [Buffer];
  if (!head.toString('latin1').startsWith('HTTP/1.1 101 ')) throw new Error(head.toString('latin1'));
  return socket;
}
