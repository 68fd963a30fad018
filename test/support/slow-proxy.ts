import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy in front of a server of this machine that delays every byte, in both directions. */
export class SlowProxy {
  /** How long each chunk is held back, in milliseconds. */
  delayMs = 0;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** @param target the port of the server */
  static async start(target: number): Promise<SlowProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new SlowProxy(server, (server.address() as AddressInfo).port);
    server.on('connection', (client) => {
      const upstream = connect(target, '127.0.0.1');
      proxy.pipe(client, upstream);
      proxy.pipe(upstream, client);
    });
    return proxy;
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private pipe(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.setNoDelay(true);
    from.on('data', (chunk) => {
      if (this.delayMs === 0) to.write(chunk);
      else setTimeout(() => to.write(chunk), this.delayMs);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.sockets.delete(from);
      to.destroy();
    });
  }
}
