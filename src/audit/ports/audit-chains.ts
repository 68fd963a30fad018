import type { Transaction } from '../../database/index.js';
import type { StoredLine } from '../audit-line.js';
import type { AuditSeal } from '../audit-line.js';

/** A chain: that of a tenant, or of the operator. */
export interface StoredChain {
  /** A UUID. */
  readonly id: string;
  readonly tenantId: string;
  /** Of the last line that is sealed; 0 without one. */
  readonly seq: number;
  readonly hash: string;
  /** The last line that was removed; undefined if none was. */
  readonly pruned: { readonly seq: number; readonly hash: string } | undefined;
}

/** A line with its seal, as it is stored. */
export interface SealedRow {
  readonly seq: number;
  readonly seal: AuditSeal;
  /** Undefined if it is gone, or belongs to another tenant. */
  readonly line: StoredLine | undefined;
  /** Null if it is gone; undefined if the line has none, or contents are not read. */
  readonly content: { readonly salt: string; readonly text: string } | 'unreadable' | null | undefined;
}

/** The seal of a line that has none yet. */
export interface NewSeal extends AuditSeal {
  readonly seq: number;
  readonly no: number;
}

/** Keeps the seals. Whoever writes them has locked their chain. */
export abstract class AuditChains {
  /** The tenants that have lines which are to be sealed. */
  abstract waiting(): Promise<readonly string[]>;

  /** Whether there are any. @param withinMs how long the answer may take, so that it needs no transaction of its own */
  abstract isAnyWaiting(withinMs: number): Promise<boolean>;

  /** When the oldest line was written that is to be sealed, in milliseconds since the epoch; undefined without one. */
  abstract oldestWaiting(): Promise<number | undefined>;

  /** All chains. */
  abstract list(): Promise<readonly StoredChain[]>;

  abstract ofTenant(tenantId: string): Promise<StoredChain | undefined>;

  /** The chain of a tenant, locked until the transaction ends; created if there is none. */
  abstract lock(tx: Transaction, tenantId: string, now: number): Promise<StoredChain>;

  /** Lines of a tenant that are to be sealed, in their order. */
  abstract pending(tx: Transaction, tenantId: string, limit: number): Promise<readonly StoredLine[]>;

  /** Stores seals, and the new end of the chain. */
  abstract seal(tx: Transaction, chain: StoredChain, seals: readonly NewSeal[]): Promise<void>;

  /** Sealed lines after a number, in their order, with their contents. */
  abstract page(chain: StoredChain, afterSeq: number, limit: number): Promise<readonly SealedRow[]>;

  /** As `page`, without contents. */
  abstract lines(chain: StoredChain, afterSeq: number, limit: number): Promise<readonly SealedRow[]>;

  /** How many lines of a tenant have no seal. */
  abstract countUnsealed(tenantId: string): Promise<number>;

  /** The last line of a beginning that is older than a time, and at most `limit` long; undefined without one. */
  abstract oldBeginning(
    tx: Transaction,
    chain: StoredChain,
    before: number,
    limit: number,
  ): Promise<{ readonly seq: number; readonly hash: string } | undefined>;

  /** Adds a line that is sealed in the same transaction: it never waits. Returns its number in the table. */
  abstract addSealed(tx: Transaction, tenantId: string, line: Omit<StoredLine, 'no'>): Promise<number>;

  /** Removes the beginning of a chain, with its contents, and notes where the chain goes on. */
  abstract removeBeginning(
    tx: Transaction,
    chain: StoredChain,
    through: { readonly seq: number; readonly hash: string },
  ): Promise<void>;
}
