import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A database's address with a delay before it, until it is closed. */
export interface DelayedDatabase {
  readonly url: string;
  close(): void;
}

/** Puts a proxy before a PostgreSQL: everything that the database says arrives `delayMs` later. */
export function delayProxy(databaseUrl: string, delayMs: number): Promise<DelayedDatabase> {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (client) => {
    const database = connect({ host: hostname, port: Number(port || 5432), noDelay: true });
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.pipe(database);
    database.on('data', (data) => setTimeout(() => client.write(data), delayMs));
    database.on('close', () => setTimeout(() => client.destroy(), delayMs));
    client.on('close', () => database.destroy());
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const url = new URL(databaseUrl);
      url.hostname = '127.0.0.1';
      url.port = String((server.address() as AddressInfo).port);
      const close = (): void => {
        server.close();
        for (const socket of sockets) socket.destroy();
      };
      resolve({ url: url.href, close });
    });
  });
}
