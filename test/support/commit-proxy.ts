import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { listenOnLoopback } from './loopback-server.js';

/**
 * Where a connection is cut: before PostgreSQL gets the COMMIT, after it has answered and before the answer arrives, or
 * as soon as the COMMIT is sent, when nobody knows whether it takes effect.
 */
export type Cut = 'before the commit' | 'before the answer' | 'during the commit';

const COMMIT = Buffer.from('COMMIT\0');

/** Prepares a statement that writes events. */
const PREPARE_EVENTS = /(parley_[0-9a-f]+)\0[^\0]*INSERT INTO run_event_chunks/g;

const MESSAGE_HEAD_BYTES = 5;

/** A way to PostgreSQL that breaks connections in their commits. The connections must not be encrypted. */
export class CommitProxy {
  /** How many commits were cut. */
  cuts = 0;
  private readonly sockets = new Set<Socket>();
  /** The prepared statements that write events. */
  private readonly names = new Set<string>();
  private commits = 0;
  private held: (() => void) | undefined;
  private plan: { readonly how: Cut; readonly every: number } | undefined;

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {}

  /** @param database the URL of the database behind it */
  static async start(database: string): Promise<CommitProxy> {
    const server = createServer();
    await listenOnLoopback(server);
    const proxy = new CommitProxy(server, new URL(database));
    server.on('connection', (client) => proxy.forward(client));
    return proxy;
  }

  /** The URL of the database by way of the proxy. */
  get url(): string {
    const url = new URL(this.target);
    url.hostname = '127.0.0.1';
    url.port = String((this.server.address() as AddressInfo).port);
    return url.toString();
  }

  /** From now on each n-th commit of events is cut; undefined: none any more. */
  cut(how: Cut | undefined, every = 1): void {
    this.plan = how && { how, every };
  }

  /** Withholds the next commit of events, and all that follows on its connection. Resolves when it does. */
  hold(): Promise<void> {
    return new Promise((resolve) => (this.held = resolve));
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  /** Whether events are written, by a statement or by the name of one. */
  private writesEvents(chunk: Buffer): boolean {
    for (const [, name = ''] of chunk.toString('latin1').matchAll(PREPARE_EVENTS)) this.names.add(name);
    return chunk.includes('INSERT INTO run_event_chunks') || [...this.names].some((name) => chunk.includes(name));
  }

  private forward(near: Socket): void {
    const far = connect(Number(this.target.port || 5432), this.target.hostname);
    let hasEvents = false;
    let isCut = false;
    let isHeld = false;
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.sockets.delete(socket);
        other.destroy();
      });
    }
    near.on('data', (chunk) => {
      if (isHeld) return;
      hasEvents ||= this.writesEvents(chunk);
      const how = chunk.includes(COMMIT) && hasEvents ? this.next() : undefined;
      if (chunk.includes(COMMIT) && hasEvents && this.held) {
        isHeld = true;
        far.write(chunk.subarray(0, chunk.indexOf(COMMIT) - MESSAGE_HEAD_BYTES));
        this.held();
        this.held = undefined;
        return;
      }
      if (chunk.includes(COMMIT)) hasEvents = false;
      if (how === 'before the commit') {
        near.destroy();
        return;
      }
      isCut ||= how !== undefined;
      far.write(chunk, () => {
        if (how === 'during the commit') near.destroy();
      });
    });
    far.on('data', (chunk) => {
      if (!isCut) near.write(chunk);
      else if (chunk.includes(COMMIT)) near.destroy();
    });
  }

  /** How the commit that is being sent is cut. */
  private next(): Cut | undefined {
    const { plan } = this;
    if (!plan) return undefined;
    this.commits += 1;
    if (this.commits % plan.every !== 0) return undefined;
    this.cuts += 1;
    return plan.how;
  }
}
