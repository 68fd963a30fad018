import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { listenOnLoopback } from './loopback-server.js';

/** A TCP proxy in front of a server of this machine that delays every byte, in both directions, or holds all of them. */
export class SlowProxy {
  /** How long each chunk is held back, in milliseconds. */
  delayMs = 0;
  private readonly sockets = new Set<Socket>();
  private isPaused = false;

  private constructor(
    private readonly server: Server,
    readonly port: number,
  ) {}

  /** @param target the port of the server */
  static async start(target: number): Promise<SlowProxy> {
    const server = createServer();
    const proxy = new SlowProxy(server, await listenOnLoopback(server));
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

  /** Holds everything, also on new connections, which are accepted: as a server does that is paused. */
  pause(): void {
    this.isPaused = true;
    for (const socket of this.sockets) socket.pause();
  }

  /** Passes on what was held. */
  resume(): void {
    this.isPaused = false;
    for (const socket of this.sockets) socket.resume();
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private pipe(from: Socket, to: Socket): void {
    this.sockets.add(from);
    from.setNoDelay(true);
    if (this.isPaused) from.pause();
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
