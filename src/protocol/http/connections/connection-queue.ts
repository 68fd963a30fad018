import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Milliseconds for which connections wait at most while others arrive. */
const LONGEST_WAIT_MS = 100;
/** Connections whose requests are read in one turn of the event loop. */
const READ_AT_ONCE = 8;

/**
 * Accepts connections that arrive together before it reads the first of their requests. Node accepts one connection in
 * each turn of the event loop, and on a busy server a turn is long: of three hundred clients that connect at one
 * moment, the last would wait three hundred turns. While nothing else is done for new connections, turns are short.
 * Their requests are then read a few in each turn, so that streams in progress are served in between.
 *
 * A connection that arrives alone waits for one turn.
 */
export class ConnectionQueue {
  private readonly waiting: Socket[] = [];
  /** Connections since the last look. */
  private arrived = 0;
  /** When the first of those that wait arrived, by `performance.now()`. */
  private since = 0;

  private constructor(
    private readonly server: Server,
    private readonly readers: readonly ((socket: Socket) => void)[],
    private readonly isOver: () => boolean,
  ) {}

  /**
   * Puts a queue before the reading of requests. Call it before the server listens.
   *
   * @param isOver whether connections that wait are closed instead of read; default: once the server does not listen
   */
  static before(server: Server, isOver = (): boolean => !server.listening): void {
    const readers = server.listeners('connection') as ((socket: Socket) => void)[];
    const queue = new ConnectionQueue(server, readers, isOver);
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => queue.add(socket));
  }

  private add(socket: Socket): void {
    // A client that leaves at once is not an error of the server.
    socket.on('error', ignore);
    this.arrived += 1;
    if (this.waiting.push(socket) > 1) return;
    this.since = performance.now();
    setImmediate(() => this.look());
  }

  /** In each turn while connections wait. */
  private look(): void {
    const isBurst = this.arrived > 0 && performance.now() - this.since < LONGEST_WAIT_MS;
    this.arrived = 0;
    if (!isBurst) {
      for (const socket of this.waiting.splice(0, READ_AT_ONCE)) this.read(socket);
    }
    if (this.waiting.length > 0) setImmediate(() => this.look());
  }

  /** Hands a connection to the server, unless it has closed meanwhile or nothing is served any more. */
  private read(socket: Socket): void {
    if (this.isOver()) socket.destroy();
    if (socket.destroyed) return;
    socket.off('error', ignore);
    for (const reader of this.readers) reader.call(this.server, socket);
  }
}

function ignore(): void {
  // The socket closes by itself.
}
