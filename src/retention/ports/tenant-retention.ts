import type { RetentionOverrides } from '../retention-periods.js';

/** Knows the periods of tenants that differ from the defaults. */
export abstract class TenantRetention {
  /** All tenants, with what differs for them; `{}` for a tenant that has the defaults. @throws the driver's error */
  abstract all(): Promise<ReadonlyMap<string, RetentionOverrides>>;

  /** What differs for one tenant; `{}` for one that does not exist. @throws the driver's error */
  abstract of(tenantId: string): Promise<RetentionOverrides>;
}
