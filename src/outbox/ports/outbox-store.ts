import type { Principal, Reach } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';
import type { RunCause, RunView } from '../../run/index.js';

/** Where somebody is called back about a chain of runs. */
export interface RunHook extends Principal {
  readonly rowId: number;
  readonly channel: string;
  readonly rootRunId: string;
  /** Unique for the chain. */
  readonly id: string;
  /** How the channel writes its requests. */
  readonly format: string;
  readonly url: string;
  /** JSON with secrets, sealed. */
  readonly secrets: string;
}

/** A hook that is to be stored. */
export type NewRunHook = Omit<RunHook, 'rowId' | 'tenantId' | 'userId' | 'rootRunId'>;

/** A request that is to be made. */
export interface Delivery {
  readonly rowId: number;
  readonly hook: RunHook;
  readonly runId: string;
  /** The number of the event of the run that it tells about; -1: what the run waits for was given up. */
  readonly seq: number;
  /** How often it was tried before. */
  readonly attempts: number;
}

/** Hooks, and the requests that are to be made because of them. */
export abstract class OutboxStore {
  /**
   * Stores a hook, or replaces the one of the chain with its id.
   *
   * @param options.most how many hooks of the channel a chain may have
   * @param options.fromStart true: it also receives everything that the chain has committed already
   * @returns false, and nothing is stored, if there are as many
   */
  abstract putHook(
    root: Pick<RunView, 'tenantId' | 'userId' | 'runId'>,
    hook: NewRunHook,
    options: { readonly most: number; readonly fromStart: boolean },
  ): Promise<boolean>;

  /** The hooks of a chain, oldest first. */
  abstract hooks(reach: Reach, rootRunId: string, channel: string): Promise<readonly RunHook[]>;

  /** Removes a hook and what waits for it. Nothing happens if there is none. */
  abstract removeHook(rowId: number): Promise<void>;

  /** Writes the requests that a cause makes, in its transaction. */
  abstract write(tx: Transaction, cause: RunCause): Promise<void>;

  /** Writes the requests about chains whose questions have expired. Returns how many. */
  abstract writeExpired(): Promise<number>;

  /** How long ago this process has last written a request, in milliseconds; it may not be committed yet. */
  abstract readonly quietMs: number;

  /** Whether a request is due. @param withinMs how long the answer may take, so that it needs no transaction of its own */
  abstract isAnyDue(withinMs: number): Promise<boolean>;

  /** Requests that are due, the first one of each hook, taken by this process for a time. */
  abstract claim(leaseMs: number, limit: number): Promise<readonly Delivery[]>;

  /** A request is over. */
  abstract end(rowId: number, status: 'sent' | 'failed', outcome: string): Promise<void>;

  /** A request is to be tried again after a pause, in milliseconds. */
  abstract retry(rowId: number, pauseMs: number, outcome: string): Promise<void>;

  /** When the oldest request that is still to be made was written, in milliseconds since the epoch; undefined without one. */
  abstract oldestWaiting(): Promise<number | undefined>;

  /** Removes requests that ended longer ago, in milliseconds. */
  abstract prune(keptMs: number): Promise<void>;
}
