import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../audit/index.js';
import { AppError, Clock, type JsonObject, type Origin } from '../../common/index.js';
import { type Transaction, UnitOfWork } from '../../database/index.js';
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

/** Writes changes of limits into the audit trail, in the transaction that makes them. */
@Injectable()
export class LimitActs {
  constructor(
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {}

  now(): number {
    return this.clock.now();
  }

  write(tx: Transaction, tenantId: string, by: Origin, overrides: JsonObject): Promise<void> {
    const subject = { kind: 'limits', id: tenantId } as const;
    return this.trail.write(tx, { tenantId, action: 'limit.changed', by, subject, details: { overrides } });
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
    private readonly acts: LimitActs,
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
  async replace(tenantId: string, overrides: unknown, by: Origin): Promise<TenantLimitsView> {
    const checked = LIMIT_OVERRIDES.safeParse(overrides);
    if (!checked.success) {
      const details = checked.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
      throw new AppError('INVALID_PARAMETER', 'The limits are not valid', { details });
    }
    await this.unitOfWork.write(async (tx) => {
      const tenant = await this.tenants.findForUpdate(tx, tenantId);
      if (!tenant) throw new AppError('RESOURCE_NOT_FOUND', 'The tenant does not exist');
      const settings = { ...tenant.settings, [SETTING]: checked.data as unknown as JsonObject };
      await this.tenants.update(tx, { ...tenant, settings, updatedAt: this.acts.now() });
      await this.acts.write(tx, tenantId, by, checked.data as unknown as JsonObject);
    });
    this.table.forget(tenantId);
    return this.read(tenantId);
  }
}
