import type { StoredLine } from '../audit-line.js';

/** Which lines a list shows. */
export interface LineQuery {
  readonly action?: string | undefined;
  /** The id of a key, an account, a user, or a pseudonym. */
  readonly actor?: string | undefined;
  /** The id of a thing or a user, or a pseudonym. */
  readonly subject?: string | undefined;
  readonly runId?: string | undefined;
  /** Milliseconds since the epoch, inclusive. */
  readonly from?: number | undefined;
  /** Exclusive. */
  readonly to?: number | undefined;
  readonly limit: number;
  /** Only those before this line in the order of the list. */
  readonly after?: { readonly at: number; readonly no: number } | undefined;
}

/** A line in a list. */
export interface ListedRow {
  readonly line: StoredLine;
  /** Null while it is not sealed. */
  readonly seq: number | null;
  readonly hash: string | null;
  /** JSON text and the salt of its hash; null without one, and once it is erased. */
  readonly content: { readonly salt: string; readonly text: string } | 'unreadable' | null;
}

/** Reads the audit trail. */
export abstract class AuditReports {
  /** The lines of a tenant, newest first. */
  abstract list(tenantId: string, query: LineQuery): Promise<readonly ListedRow[]>;

  /** The users that pseudonyms of a tenant stand for; those that were erased are left out. */
  abstract users(tenantId: string, pseudonyms: readonly string[]): Promise<ReadonlyMap<string, string>>;
}
