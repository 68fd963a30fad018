import type { Reach } from '../../common/index.js';
import type { RunView } from '../run.types.js';

/**
 * The state of a chain: that of its last run, but for one that was interrupted. `waiting`: for an answer or for results
 * of the client's tools. Without a further run, `expired`: nobody answered in time; `closed`: what it asked was given up.
 */
export const CHAIN_STATES = [
  'queued',
  'running',
  'waiting',
  'completed',
  'incomplete',
  'failed',
  'rejected',
  'canceled',
  'expired',
  'closed',
] as const;
/** A state of a chain. `rejected`: its agent did not take it (the error REJECTED), before any output. */
export type ChainState = (typeof CHAIN_STATES)[number];

/** The runs that continue one another, from the first one on: what one request has caused, with the answers to what was asked. */
export interface RunChain {
  /** The first run. Its id names the chain. */
  readonly root: RunView;
  /** The last one so far. */
  readonly last: RunView;
  readonly state: ChainState;
  /** When it came into this state, in milliseconds since the epoch. */
  readonly changedAt: number;
  /** What a waiting one waits for. `approvals`: for nothing but approvals of people. */
  readonly waitsFor: 'approvals' | 'answers' | null;
}

/** A state to list. */
export interface ChainStateFilter {
  readonly state: ChainState;
  /** Only those that wait for this. */
  readonly waitsFor?: RunChain['waitsFor'];
  /** Only those whose last run is the first one, or is not. */
  readonly isFirst?: boolean;
}

/** Which chains to list. Everything that is given must hold. */
export interface ChainQuery {
  readonly limit: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
  /** The client's id of the session. */
  readonly sessionId?: string;
  readonly states?: readonly ChainStateFilter[];
  readonly agentType?: string;
  /** Chains that came into their state after this time, in milliseconds since the epoch. */
  readonly changedAfter?: number;
}

/** A page of chains: the last changed first, then by id. */
export interface ChainPage {
  readonly items: readonly RunChain[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
  /** How many chains the query finds. */
  readonly total: number;
}

/**
 * Chains of runs (docs/adr/0037-a-task-is-a-chain-of-runs.md). Runs that are not stored are left out once they have ended.
 */
export abstract class RunChains {
  /** The chain that a run begins; undefined if it begins none within the reach. @throws AppError AMBIGUOUS_ID */
  abstract find(reach: Reach, rootRunId: string): Promise<RunChain | undefined>;

  /** The runs of a chain, oldest first; empty for an unknown one. @throws AppError AMBIGUOUS_ID */
  abstract runs(reach: Reach, rootRunId: string): Promise<readonly RunView[]>;

  /** @throws AppError INVALID_PARAMETER for a cursor that no page gave */
  abstract list(reach: Reach, query: ChainQuery): Promise<ChainPage>;
}
