import { connect, createServer, type Socket } from 'node:net';
import { listenOnLoopback } from './loopback-server.js';

/** An address that is known before its server is: passes connections on. */
export class Door {
  /** The port that connections are passed on to. */
  target = 0;
  private readonly sockets = new Set<Socket>();
  private readonly server = createServer((socket) => {
    const behind = connect(this.target, '127.0.0.1');
    for (const one of [socket, behind]) {
      this.sockets.add(one);
      one.on('error', () => undefined);
      one.on('close', () => [socket, behind].forEach((each) => each.destroy()));
    }
    socket.pipe(behind).pipe(socket);
  });

  /** Begins to listen. Returns its address. */
  async open(): Promise<string> {
    return `http://127.0.0.1:${await listenOnLoopback(this.server)}`;
  }

  /** Ends all connections. */
  close(): void {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
  }
}
