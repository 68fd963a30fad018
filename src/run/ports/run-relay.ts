import type { RunRecord } from '../run-record.js';

const LIST_TOPIC = 'runs';
/** The shortest time between two messages about lists of runs, in milliseconds. */
const LIST_PAUSE_MS = 250;

/** `live`: what other instances publish arrives here, within moments. `degraded`: the ledger has to be watched. */
export type RelayState = 'live' | 'degraded';

/** What names a run at every instance: row ids alone are those of one ledger, and a Redis server may serve several. */
export type RelayedRun = Pick<RunRecord, 'rowId' | 'id' | 'createdAt'>;

/** A session and its owner. */
export interface SessionKey {
  readonly tenantId: string;
  readonly userId: string;
  readonly sessionId: string;
}

/** Events of a run that were committed. */
export interface RelayedEvents {
  /** The fence of the worker that wrote them. */
  readonly fence: number;
  /** The number of the first event. */
  readonly firstSeq: number;
  /** One more than the number of the last event. */
  readonly nextSeq: number;
  /** Canonical JSON of each event; undefined when they have to be read from the ledger. */
  readonly lines: readonly string[] | undefined;
  /** When they were written, in milliseconds since the epoch. */
  readonly at: number;
}

/**
 * What a listener gets. `changed`: the ledger has to be read. `subscribed`: from now on other instances reach the
 * listener, and what happened before was missed; comes again after each interruption.
 */
export type RelayMessage = RelayedEvents | 'changed' | 'subscribed';

/** Gets the messages of a topic. Must not throw. */
export type RelayListener = (message: RelayMessage) => void;

/**
 * Carries committed events and signals to other instances. `GroupCommit` publishes the events of a run after each commit;
 * `RunWatch` follows the runs that this instance reads and others execute. All of it is a hint, which may be lost, late or repeated:
 * the ledger is what counts. Nothing here waits for another server.
 */
export abstract class RunRelay {
  private isListUnsent = false;
  private listTimer: NodeJS.Timeout | undefined;

  abstract readonly state: RelayState;

  /** Calls the listener when the state has changed. Returns a function that unsubscribes it. */
  abstract onStateChange(listener: () => void): () => void;

  /** Publishes events of a run. Called after their commit. */
  publish(run: RelayedRun, events: RelayedEvents): void {
    this.send(runTopic(run), events);
  }

  /** Publishes that a run has changed without its worker: it was ended in the queue, or removed. Called after the commit. */
  changed(run: RelayedRun): void {
    this.send(runTopic(run), 'changed');
  }

  /** Follows a run. Returns a function that ends it. */
  follow(run: RelayedRun, listener: RelayListener): () => void {
    return this.subscribe(runTopic(run), listener);
  }

  /** Publishes that a session has a new run. Called after the commit. */
  announce(session: SessionKey): void {
    this.send(sessionTopic(session), 'changed');
  }

  /** Calls the listener when a session has a new run. Returns a function that unsubscribes it. */
  awaitRun(session: SessionKey, listener: RelayListener): () => void {
    return this.subscribe(sessionTopic(session), listener);
  }

  /**
   * Publishes that lists of runs have changed: a run was accepted, was started, has ended or was removed. Called after the
   * commit, as often as it happens: at most four messages a second are sent.
   */
  listChanged(): void {
    this.isListUnsent = true;
    if (this.listTimer) return;
    this.sendListChange();
  }

  /** Calls the listener when lists of runs have changed. Returns a function that unsubscribes it. */
  onListChange(listener: () => void): () => void {
    return this.subscribe(LIST_TOPIC, () => listener());
  }

  /** Signals to a worker that there is something to do for its runs, such as a cancel. Called after the commit. */
  signal(workerId: string): void {
    this.send(workerTopic(workerId), 'changed');
  }

  /** Calls the listener at each signal to a worker. Returns a function that unsubscribes it. */
  onSignal(workerId: string, listener: () => void): () => void {
    return this.subscribe(workerTopic(workerId), () => listener());
  }

  private sendListChange(): void {
    this.listTimer = undefined;
    if (!this.isListUnsent) return;
    this.isListUnsent = false;
    this.listTimer = setTimeout(() => this.sendListChange(), LIST_PAUSE_MS).unref();
    this.send(LIST_TOPIC, 'changed');
  }

  protected abstract send(topic: string, message: RelayMessage): void;

  protected abstract subscribe(topic: string, listener: RelayListener): () => void;
}

function runTopic({ rowId, id, createdAt }: RelayedRun): string {
  return `run:${rowId}:${createdAt}:${id}`;
}

function sessionTopic({ tenantId, userId, sessionId }: SessionKey): string {
  return `session:${JSON.stringify([tenantId, userId, sessionId])}`;
}

function workerTopic(workerId: string): string {
  return `worker:${workerId}`;
}
