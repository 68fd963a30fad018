import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { AuditTrail } from '../../audit/index.js';
import { AppError, Clock, type JsonObject, type Origin } from '../../common/index.js';
import { UnitOfWork } from '../../database/index.js';
import {
  RETENTION_KINDS,
  type RetentionKind,
  type RetentionOverrides,
  retentionRule,
  TenantRetention,
} from '../../retention/index.js';
import { type Tenant, TenantStore } from '../ports/tenant-store.js';
import { foundTenant } from './tenants.js';

/** The name of the periods among the settings of a tenant. */
const SETTING = 'retention';

/** The shape of the overrides in requests and commands. */
const OVERRIDES = z.strictObject(
  Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, periodOf(kind).optional()])),
) as z.ZodType<RetentionOverrides>;

/** The periods of tenants, among the settings of each. */
@Injectable()
export class StoredRetention extends TenantRetention {
  constructor(private readonly tenants: TenantStore) {
    super();
  }

  async all(): Promise<ReadonlyMap<string, RetentionOverrides>> {
    return new Map((await this.tenants.list()).map((tenant) => [tenant.id, overridesOf(tenant)]));
  }

  async of(tenantId: string): Promise<RetentionOverrides> {
    const tenant = await this.tenants.find(tenantId);
    return tenant ? overridesOf(tenant) : {};
  }
}

/** Reads and changes for how long the data of tenants is kept (contract access, section 9). */
@Injectable()
export class TenantRetentions {
  constructor(
    private readonly tenants: TenantStore,
    private readonly unitOfWork: UnitOfWork,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /** What differs from the defaults of the installation. @throws AppError TENANT_NOT_FOUND */
  async read(tenantId: string): Promise<RetentionOverrides> {
    return overridesOf(foundTenant(await this.tenants.find(tenantId), tenantId));
  }

  /**
   * Replaces what differs from the defaults. What is older than a new period is removed when its chore works next.
   *
   * @throws AppError INVALID_PARAMETER that names what is wrong; TENANT_NOT_FOUND
   */
  async replace(tenantId: string, overrides: unknown, by: Origin): Promise<RetentionOverrides> {
    const checked = OVERRIDES.safeParse(overrides);
    if (!checked.success) {
      const details = checked.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
      throw new AppError('INVALID_PARAMETER', 'The periods are not valid', { details });
    }
    const retention: JsonObject = { ...checked.data };
    await this.unitOfWork.write(async (tx) => {
      const tenant = foundTenant(await this.tenants.findForUpdate(tx, tenantId), tenantId);
      const settings = { ...tenant.settings, [SETTING]: retention };
      await this.tenants.update(tx, { ...tenant, settings, updatedAt: this.clock.now() });
      const subject = { kind: 'tenant', id: tenantId } as const;
      await this.trail.write(tx, { tenantId, action: 'tenant.changed', by, subject, details: { retention } });
    });
    return checked.data;
  }
}

function periodOf(kind: RetentionKind): z.ZodString {
  const rule = retentionRule(kind);
  return z.string().refine((text) => rule.parse(text) !== undefined, `must be ${rule.expectation}`);
}

/** Also those that cannot be used, as JSON: nothing is removed because of them. */
function overridesOf({ settings }: Tenant): RetentionOverrides {
  const stored = settings[SETTING];
  if (stored === undefined) return {};
  const members = typeof stored === 'object' && stored !== null ? new Map(Object.entries(stored)) : undefined;
  const own = RETENTION_KINDS.filter((kind) => !members || members.has(kind));
  return Object.fromEntries(own.map((kind) => [kind, textOf(members?.get(kind))]));
}

function textOf(period: unknown): string {
  return typeof period === 'string' ? period : JSON.stringify(period ?? null);
}
