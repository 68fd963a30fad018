import type { Origin } from '../../common/index.js';
import type { Price, PriceTerms } from '../price.js';

/** The versions of prices. Each one that is added is a line of the audit trail. */
export abstract class PriceStore {
  /** Those of a tenant and those of the installation, the newest first. @throws the driver's error */
  abstract list(tenantId: string): Promise<readonly Price[]>;

  /**
   * Adds versions. One that exists with the same terms is left.
   *
   * @param tenantId `INSTALLATION` for all tenants
   * @returns those that were added
   * @throws AppError INVALID_PARAMETER, and nothing is added, if one exists with other terms: versions are never changed
   */
  abstract add(tenantId: string, prices: readonly PriceTerms[], by: Origin, now: number): Promise<readonly Price[]>;
}
