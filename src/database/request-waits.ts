import { connect, type Socket } from 'node:net';
import type pg from 'pg';
import { Semaphore } from '../common/index.js';

/** How many times a wait is checked before it is given up. */
const CHECKS = 10;
/** After this many checks without any answer the server sends the database a query of its own. */
const PROBE_AFTER = 2;

/**
 * How long work may take that no request waits for, in milliseconds: far longer than it does. Its connection counts as
 * dead then. Without a limit, a server that has vanished would hold it for as long as the operating system does.
 */
export const PATIENT_MS = 30_000;

/** An operation of a request, from the wait for its connection to its last answer. */
export interface RequestWait {
  /**
   * Resolves with the connection.
   *
   * @param connect asks for it, once one may be used
   * @param giveBack called with a connection that comes when nobody waits for it any more
   * @throws Error with the code ETIMEDOUT if none became free in time; that of `connect`
   */
  connected(connect: () => Promise<pg.PoolClient>, giveBack: (client: pg.PoolClient) => void): Promise<pg.PoolClient>;
  /** The operation is over. */
  end(): void;
}

/** What every connection of the driver has, also one of a pool. */
interface Cuttable {
  end(): Promise<void>;
  readonly connection: { readonly stream: Socket };
  readonly host?: string;
  readonly port?: number;
  /** What the server needs to cancel the statement of this connection; null before it has answered. */
  readonly processID?: number | null;
  readonly secretKey?: number | null;
}

/** The request of PostgreSQL's protocol to cancel a statement: its length and code. */
const CANCEL_BYTES = 16;
const CANCEL_CODE = 80_877_102;
const CANCEL_MS = 5000;

/** How long an operation has waited, and how it is given up. */
interface Waiting {
  /** Checks without a connection, or without an answer to anybody since it has one. */
  checks: number;
  /** `answers` at the last check. */
  answers: number;
  isConnected: boolean;
  giveUp: () => void;
  /** Called at its end. */
  free: () => void;
}

/**
 * Requests that wait for the database. One that gets no connection within a time fails, unless connections are handed
 * out so fast that its turn comes within the same time again. So does one whose database is silent for that time: it
 * answers nothing to anybody. Its connection is cut then. An operation that is only slow, such as one that waits for a
 * lock, is not given up.
 */
export class RequestWaits {
  private readonly waiting = new Set<Waiting>();
  private timer: NodeJS.Timeout | undefined;
  /** How many answers the database has given. */
  private answers = 0;
  /** How many connections requests have had: until now, and until each of the last checks. */
  private acquiredCount = 0;
  private readonly slots: Semaphore;
  private acquiredAtChecks: number[] = [];
  private isProbing = false;

  /**
   * @param limitMs the longest wait
   * @param slots how many connections requests may have at once: the others are for leases and running runs
   * @param probe asks the database over another connection; fails or resolves within the given milliseconds
   */
  constructor(
    private readonly limitMs: number,
    slots: number,
    private readonly probe: (withinMs: number) => Promise<void>,
  ) {
    this.slots = new Semaphore(slots);
  }

  /** How many operations wait because requests have as many connections as they may. */
  get queuedCount(): number {
    return this.slots.waitingCount;
  }

  /** The database has answered something. */
  answered(): void {
    this.answers += 1;
  }

  /** An operation of a request begins. Needs one `end`. */
  begin(): RequestWait {
    const waiting: Waiting = { checks: 0, answers: this.answers, isConnected: false, giveUp: nothing, free: nothing };
    this.waiting.add(waiting);
    // What has arrived while the event loop was busy is handled before the verdict.
    this.timer ??= setInterval(() => setImmediate(() => this.check()), this.limitMs / CHECKS).unref();
    return {
      connected: (connect, giveBack) => this.connected(waiting, connect, giveBack),
      end: () => {
        this.waiting.delete(waiting);
        waiting.free();
      },
    };
  }

  private connected(
    waiting: Waiting,
    connect: () => Promise<pg.PoolClient>,
    giveBack: (client: pg.PoolClient) => void,
  ): Promise<pg.PoolClient> {
    return new Promise((resolve, reject) => {
      let isGivenUp = false;
      waiting.giveUp = () => {
        isGivenUp = true;
        reject(noConnection(this.limitMs));
      };
      const begin = (): void => {
        if (isGivenUp) return this.slots.release();
        connect().then(
          (client) => {
            this.acquiredCount += 1;
            if (isGivenUp) {
              giveBack(client);
              this.slots.release();
              return;
            }
            Object.assign(waiting, { isConnected: true, checks: 0, answers: this.answers, giveUp: () => cut(client) });
            waiting.free = () => this.slots.release();
            resolve(client);
          },
          (error: unknown) => {
            this.slots.release();
            reject(error instanceof Error ? error : new Error(String(error)));
          },
        );
      };
      const turn = this.slots.acquire();
      if (turn) void turn.then(begin);
      else begin();
    });
  }

  /** Counts checks, not milliseconds: a busy event loop is not the fault of the database. */
  private check(): void {
    if (this.waiting.size === 0) {
      clearInterval(this.timer);
      this.timer = undefined;
      this.acquiredAtChecks = [];
      return;
    }
    this.acquiredAtChecks.push(this.acquiredCount);
    if (this.acquiredAtChecks.length > CHECKS) this.acquiredAtChecks.shift();
    const acquiredSince = this.acquiredCount - (this.acquiredAtChecks[0] ?? this.acquiredCount);
    let ahead = 0;
    for (const waiting of [...this.waiting]) {
      this.count(waiting);
      const { checks, isConnected } = waiting;
      const isNext = !isConnected && (ahead += 1) <= acquiredSince;
      if (checks >= CHECKS && !isNext) {
        this.waiting.delete(waiting);
        waiting.giveUp();
      } else if (isConnected && checks >= PROBE_AFTER) this.ask();
    }
  }

  private count(waiting: Waiting): void {
    if (waiting.isConnected && waiting.answers !== this.answers) waiting.checks = 0;
    else waiting.checks += 1;
    waiting.answers = this.answers;
  }

  /** A silent database may have nothing but slow work: then it still answers this. */
  private ask(): void {
    if (this.isProbing) return;
    this.isProbing = true;
    this.probe((this.limitMs * (CHECKS - PROBE_AFTER)) / CHECKS)
      .then(
        () => this.answered(),
        // An error of the server, such as that it has too many clients, is an answer too.
        (error: unknown) => {
          if (isErrorOfServer(error)) this.answered();
        },
      )
      .finally(() => (this.isProbing = false));
  }
}

function nothing(): void {
  // Nothing is held yet.
}

/**
 * Ends a connection at once: what waits for its answers fails. The server is asked to cancel its statement, which would
 * otherwise keep a backend for as long as it waits for a lock.
 *
 * @param options.cancels false where there is nothing to cancel, or a COMMIT: one that waits for a standby would be shown
 *   to readers although the standby does not have it
 */
export function cut(client: pg.ClientBase, { cancels = true }: { readonly cancels?: boolean } = {}): void {
  const connected = client as unknown as Cuttable;
  if (cancels) cancelStatement(connected);
  // Marks it as ended, so that nobody else gets it. Alone, it would wait for the answers.
  connected.end().catch(() => undefined);
  connected.connection.stream.destroy();
}

/** For connections whose error is that of the statement which waits for its answer. */
export function ignoreError(): void {
  // The statement fails.
}

/** Over a connection of its own, as the protocol demands. Without effect if the server cannot be reached. */
function cancelStatement({ host, port, processID, secretKey }: Cuttable): void {
  if (!host || !port || typeof processID !== 'number' || typeof secretKey !== 'number') return;
  const request = Buffer.alloc(CANCEL_BYTES);
  [CANCEL_BYTES, CANCEL_CODE, processID, secretKey].forEach((value, index) => request.writeInt32BE(value, 4 * index));
  const socket = host.startsWith('/') ? connect(`${host}/.s.PGSQL.${port}`) : connect(port, host);
  socket.setTimeout(CANCEL_MS, () => socket.destroy());
  socket.on('error', () => undefined);
  socket.end(request).unref();
}

/** Whether PostgreSQL itself has refused something: errors of connections have no severity. */
function isErrorOfServer(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && error.severity !== undefined;
}

function noConnection(limitMs: number): Error {
  return Object.assign(new Error(`No connection to the database within ${limitMs} ms`), { code: 'ETIMEDOUT' });
}
