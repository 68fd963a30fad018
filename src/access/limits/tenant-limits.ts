import { Injectable } from '@nestjs/common';
import { AppError, Clock, type JsonObject } from '../../common/index.js';
import { UnitOfWork } from '../../database/index.js';
import { TenantStore } from '../ports/tenant-store.js';
import { LIMIT_OVERRIDES, type LimitOverrides, type Limits } from './limit-values.js';
import { LimitTable, StoredLimits } from './limit-table.js';

/** The name of the limits among the settings of a tenant. */
const SETTING = 'limits';

/** The limits of a tenant, and what an administrator has changed of them. */
export interface TenantLimitsView {
  /** What holds now. */
  readonly limits: Limits;
  /** What differs from the defaults of the installation. */
  readonly overrides: LimitOverrides;
}

/** Limits as settings of tenants. */
@Injectable()
export class TenantSettingsLimits extends StoredLimits {
  constructor(private readonly tenants: TenantStore) {
    super();
  }

  async of(tenantId: string): Promise<LimitOverrides | undefined> {
    const tenant = await this.tenants.find(tenantId);
    const { success, data } = LIMIT_OVERRIDES.safeParse(tenant?.settings[SETTING]);
    return success ? data : undefined;
  }
}

/** Reads and changes the limits of tenants (contract access, section 6). */
@Injectable()
export class TenantLimits {
  constructor(
    private readonly table: LimitTable,
    private readonly stored: StoredLimits,
    private readonly tenants: TenantStore,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** @throws the driver's error */
  async read(tenantId: string): Promise<TenantLimitsView> {
    return { limits: await this.table.of(tenantId), overrides: (await this.stored.of(tenantId)) ?? {} };
  }

  /**
   * Replaces what differs from the defaults: at once in this process, within 5 s in all others.
   *
   * @throws AppError INVALID_PARAMETER that names what is wrong; RESOURCE_NOT_FOUND
   */
  async replace(tenantId: string, overrides: unknown): Promise<TenantLimitsView> {
    const checked = LIMIT_OVERRIDES.safeParse(overrides);
    if (!checked.success) {
      const details = checked.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
      throw new AppError('INVALID_PARAMETER', 'The limits are not valid', { details });
    }
    await this.unitOfWork.write(async (tx) => {
      const tenant = await this.tenants.findForUpdate(tx, tenantId);
      if (!tenant) throw new AppError('RESOURCE_NOT_FOUND', 'The tenant does not exist');
      const settings = { ...tenant.settings, [SETTING]: checked.data as unknown as JsonObject };
      await this.tenants.update(tx, { ...tenant, settings, updatedAt: this.clock.now() });
    });
    this.table.forget(tenantId);
    return this.read(tenantId);
  }
}
