import type { Reach } from '../../common/index.js';
import type { RunListPage, RunListQuery, RunSummary } from './run-queries.js';

/** Lists of runs in the ledger, over all sessions within a reach. */
export abstract class RunSearch {
  /** As `RunQueries.list`. */
  abstract list(reach: Reach, query: RunListQuery): Promise<RunListPage>;

  /** As `RunQueries.active`. */
  abstract active(reach: Reach, endedSince: number): Promise<readonly RunSummary[]>;

  /** The first words of the input of a run; null if it has none. */
  abstract inputText(runRowId: number): Promise<string | null>;
}
