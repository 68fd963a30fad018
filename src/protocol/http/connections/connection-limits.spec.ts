import { createServer, type Server } from 'node:http';
import { connect, Socket } from 'node:net';
import { until } from '../../../../test/support/until.js';
import { limitConnections } from './connection-limits.js';

/** A connection from an address that this machine does not have. */
function arrive(server: Server, address: string): Socket {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: address });
  server.emit('connection', socket);
  return socket;
}

describe('limitConnections', () => {
  it('closes the connections of one address beyond its limit, until others of it have closed', async () => {
    const server = createServer();
    limitConnections(server, { perAddress: 2 });
    const [first, second, third] = [1, 2, 3].map(() => arrive(server, '192.0.2.1'));
    expect([first, second, third].map((socket) => socket?.destroyed)).toEqual([false, false, true]);
    expect(arrive(server, '192.0.2.2').destroyed).toBe(false);
    first?.destroy();
    await new Promise((resolve) => first?.once('close', resolve));
    expect(arrive(server, '::ffff:192.0.2.1').destroyed).toBe(false);
    expect(arrive(server, '192.0.2.1').destroyed).toBe(true);
  });

  it('does not limit this machine, nor clients behind a trusted proxy', () => {
    const limited = createServer();
    limitConnections(limited, { perAddress: 1 });
    const open = createServer();
    limitConnections(open, { perAddress: undefined });
    for (const [server, address] of [
      [limited, '127.0.0.1'],
      [limited, '::1'],
      [open, '192.0.2.1'],
    ] as const) {
      expect([arrive(server, address), arrive(server, address)].map(({ destroyed }) => destroyed)).toEqual([
        false,
        false,
      ]);
    }
  });

  it('closes connections beyond the limit of all clients', async () => {
    const server = createServer();
    limitConnections(server, { total: 1, perAddress: 512 });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const sockets = [connect(port, '127.0.0.1'), connect(port, '127.0.0.1')];
    for (const socket of sockets) socket.on('error', () => undefined).resume();
    await until(() => sockets.filter(({ closed }) => closed).length === 1);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
});
