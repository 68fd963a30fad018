import type { Transaction } from '../../database/index.js';

/** An entry of the audit log of earlier versions. */
export interface OldEntry {
  readonly no: number;
  readonly tenantId: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly runId: string;
  /** `requested`, `approved`, `denied`, `answered`, `cancelled`, `expired` or `policy_denied`. */
  readonly action: string;
  readonly interruptId: string | null;
  readonly callId: string | null;
  readonly toolName: string | null;
  readonly argumentsHash: string | null;
  /** JSON of an object. */
  readonly details: string;
  readonly createdAt: number;
}

/** Entries that servers of earlier versions have written. */
export abstract class OldEntries {
  /** Whether there are some. */
  abstract exist(): Promise<boolean>;

  /** Takes the oldest ones away, for the transaction that writes them as lines. */
  abstract take(tx: Transaction, limit: number): Promise<readonly OldEntry[]>;
}
