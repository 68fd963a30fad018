import type { Reach } from '../../common/index.js';
import type { ListedRunName, RunListPage, RunListQuery, RunSummary } from './run-queries.js';

/** A run in a list, with its row. */
export interface ListedRun {
  readonly rowId: number;
  readonly summary: RunSummary;
}

/** Lists of runs in the ledger, over all sessions within a reach. */
export abstract class RunSearch {
  /** As `RunQueries.list`. */
  abstract list(reach: Reach, query: RunListQuery): Promise<RunListPage>;

  /**
   * The newest runs that have not ended, and those that ended at or after a time: for each reach at most 750, in no order.
   *
   * @param endedSince milliseconds since the epoch
   */
  abstract changing(reaches: readonly Reach[], endedSince: number): Promise<readonly (readonly ListedRun[])[]>;

  /** The newest runs of a reach, oldest first. */
  abstract newest(reach: Reach, limit: number): Promise<readonly (ListedRunName & { readonly rowId: number })[]>;

  /** Those of the runs that a list still shows. */
  abstract present(rowIds: readonly number[]): Promise<ReadonlySet<number>>;

  /** The runs of the turn that a run belongs to, oldest first: at least the run itself, at most 100. */
  abstract ofTurn(runRowId: number): Promise<readonly RunSummary[]>;

  /** The first words of the input of a run, null if it has none, the model that has answered, and how it belongs to others. */
  abstract turn(runRowId: number): Promise<Pick<RunSummary, 'inputText' | 'answeredBy' | 'turn'>>;
}
