import type { Principal } from '../common/index.js';
import type { ErasedCounts } from './user-cleaners.js';

/** Where an erasure is: rows are removed, then their bytes, then it is a receipt. */
export type ErasureStatus = 'erasing' | 'clearing' | 'done';

/** What is known of an erasure. Times are milliseconds since the epoch. */
export interface EraseReceipt {
  /** A random UUID. */
  readonly jobId: string;
  readonly status: ErasureStatus;
  readonly requestedAt: number;
  readonly finishedAt: number | null;
  /** How many rows were removed so far, by kind. Kinds without any are left out. */
  readonly counts: ErasedCounts;
}

/** An erasure that this process works on. */
export interface EraseTurn {
  readonly rowId: number;
  readonly jobId: string;
  readonly tenantId: string;
  /** Null once all rows are removed. */
  readonly erased: { readonly user: Principal; readonly pseudonym: string } | null;
  /** Tells the turn from later ones. */
  readonly fence: number;
}
