import type { Socket } from 'node:net';
import type pg from 'pg';

/** How often it is looked whether somebody has waited for too long: this part of the longest wait. */
const LOOKS = 10;
/** After this part of the longest wait without any answer the database is asked whether it is there. */
const PROBE_SHARE = 0.2;

/** An operation of a request, from the wait for its connection to its last answer. */
export interface RequestWait {
  /**
   * Resolves with the connection.
   *
   * @param giveBack called with a connection that comes when nobody waits for it any more
   * @throws Error with the code ETIMEDOUT if none was had in time; that of `connecting`
   */
  connected(connecting: Promise<pg.PoolClient>, giveBack: (client: pg.PoolClient) => void): Promise<pg.PoolClient>;
  /** The operation is over. */
  end(): void;
}

/** What every connection of the driver has, also one of a pool. */
interface Cuttable {
  end(): Promise<void>;
  readonly connection: { readonly stream: Socket };
}

/** Since when an operation waits, and how it is given up. */
interface Waiting {
  since: number;
  isConnected: boolean;
  giveUp: () => void;
}

/**
 * Requests that wait for the database. One that gets no connection within a time fails. So does one whose database is
 * silent for that time: it answers nothing to anybody, and takes no new connection either. Its connection is cut then.
 * An operation that is only slow, such as one that waits for a lock, is not given up.
 */
export class RequestWaits {
  private readonly waiting = new Set<Waiting>();
  private timer: NodeJS.Timeout | undefined;
  private answeredAt = -Infinity;
  private isProbing = false;

  /**
   * @param limitMs the longest wait
   * @param probe asks the database over another connection; fails or resolves within the given milliseconds
   */
  constructor(
    private readonly limitMs: number,
    private readonly probe: (withinMs: number) => Promise<void>,
  ) {}

  /** The database has answered something. */
  answered(): void {
    this.answeredAt = performance.now();
  }

  /** An operation of a request begins. Needs one `end`. */
  begin(): RequestWait {
    const waiting: Waiting = { since: performance.now(), isConnected: false, giveUp: () => undefined };
    this.waiting.add(waiting);
    // What has arrived while the event loop was busy is handled before the verdict.
    this.timer ??= setInterval(() => setImmediate(() => this.look()), this.limitMs / LOOKS).unref();
    return {
      connected: (connecting, giveBack) => this.connected(waiting, connecting, giveBack),
      end: () => void this.waiting.delete(waiting),
    };
  }

  private connected(
    waiting: Waiting,
    connecting: Promise<pg.PoolClient>,
    giveBack: (client: pg.PoolClient) => void,
  ): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      let isGivenUp = false;
      waiting.giveUp = () => {
        isGivenUp = true;
        reject(noConnection(this.limitMs));
      };
      connecting.then((client) => {
        if (isGivenUp) return giveBack(client);
        waiting.isConnected = true;
        waiting.since = performance.now();
        waiting.giveUp = () => cut(client);
        resolve(client);
      }, reject);
    });
  }

  private look(): void {
    if (this.waiting.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      return;
    }
    const now = performance.now();
    for (const waiting of [...this.waiting]) {
      const silentSince = waiting.isConnected ? Math.max(waiting.since, this.answeredAt) : waiting.since;
      const silentMs = now - silentSince;
      if (silentMs >= this.limitMs) {
        this.waiting.delete(waiting);
        waiting.giveUp();
      } else if (waiting.isConnected && silentMs >= this.limitMs * PROBE_SHARE) this.ask();
    }
  }

  /** A silent database may have nothing but slow work: then it still answers this. */
  private ask(): void {
    if (this.isProbing) return;
    this.isProbing = true;
    this.probe(this.limitMs * (1 - PROBE_SHARE))
      .then(
        () => this.answered(),
        () => undefined,
      )
      .finally(() => (this.isProbing = false));
  }
}

/** Ends a connection at once: what waits for its answers fails. */
export function cut(client: pg.ClientBase): void {
  const connected = client as unknown as Cuttable;
  // Marks it as ended, so that nobody else gets it. Alone, it would wait for the answers.
  connected.end().catch(() => undefined);
  connected.connection.stream.destroy();
}

function noConnection(limitMs: number): Error {
  return Object.assign(new Error(`No connection to the database within ${limitMs} ms`), { code: 'ETIMEDOUT' });
}
