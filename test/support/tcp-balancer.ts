import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { listenOnLoopback } from './loopback-server.js';

/** Gives each TCP connection to one of several servers of this machine, in turn. */
export class TcpBalancer {
  private readonly sockets = new Set<Socket>();
  private turn = 0;

  private constructor(
    private readonly server: Server,
    /** The ports of the servers that get new connections. */
    private targets: readonly number[],
  ) {}

  /** @param targets the ports of the servers */
  static async start(targets: readonly number[]): Promise<TcpBalancer> {
    const server = createServer();
    await listenOnLoopback(server);
    const balancer = new TcpBalancer(server, targets);
    server.on('connection', (client) => balancer.forward(client));
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** From now on a server gets no new connections; those that it has stay. */
  takeOut(port: number): void {
    this.targets = this.targets.filter((target) => target !== port);
  }

  /** Gives a server new connections again. */
  putBack(port: number): void {
    this.targets = [...this.targets, port];
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private forward(client: Socket): void {
    const port = this.targets[(this.turn += 1) % this.targets.length];
    if (port === undefined) {
      client.destroy();
      return;
    }
    const upstream = connect(port, '127.0.0.1');
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(from);
      from.setNoDelay(true);
      from.on('error', () => undefined);
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}
