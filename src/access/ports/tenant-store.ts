import type { JsonObject } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';

/** The credentials of a suspended tenant are refused. */
export type TenantStatus = 'active' | 'suspended';

/** A tenant: a customer of the server. Times are milliseconds since the epoch. */
export interface Tenant {
  readonly id: string;
  /** For people. */
  readonly name: string;
  readonly status: TenantStatus;
  readonly settings: JsonObject;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Keeps tenants. */
export abstract class TenantStore {
  /** False, and nothing is written, if there is a tenant with this id. */
  abstract insert(tx: Transaction, tenant: Tenant): Promise<boolean>;

  abstract find(id: string): Promise<Tenant | undefined>;

  /** As `find`, locked until the transaction ends. */
  abstract findForUpdate(tx: Transaction, id: string): Promise<Tenant | undefined>;

  /** All tenants, by id. */
  abstract list(): Promise<readonly Tenant[]>;

  /** Replaces name, status, settings and the time of the change. */
  abstract update(tx: Transaction, tenant: Tenant): Promise<void>;

  /** Whether runs of a tenant wait or are executed. */
  abstract hasUnfinishedRuns(tx: Transaction, id: string): Promise<boolean>;

  /**
   * Moves a tenant to an id that is free: its row, and every row of every table that carries the tenant, the
   * audit log included.
   *
   * @returns how many rows of other tables were changed
   */
  abstract changeId(tx: Transaction, from: string, to: string, now: number): Promise<number>;
}
