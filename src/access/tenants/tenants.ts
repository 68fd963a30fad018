import { Injectable } from '@nestjs/common';
import { type AuditAction, AuditTrail } from '../../audit/index.js';
import { AppError, Clock, DEFAULT_TENANT, type JsonObject, type Origin } from '../../common/index.js';
import { type Transaction, UnitOfWork } from '../../database/index.js';
import { AccessCache } from '../cache/access-cache.js';
import { checkedName, checkedSlug } from '../input-checks.js';
import { type Tenant, type TenantStatus, TenantStore } from '../ports/tenant-store.js';
import { TenantDirectory } from './tenant-directory.js';

/** A tenant that has a new id. */
export interface RenamedTenant {
  readonly tenant: Tenant;
  /** How many rows of other tables were moved. */
  readonly movedRows: number;
}

/** The tenants of an installation. The tenant `default` always exists (contract access, section 4). */
@Injectable()
export class Tenants extends TenantDirectory {
  constructor(
    private readonly store: TenantStore,
    private readonly unitOfWork: UnitOfWork,
    private readonly cache: AccessCache,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {
    super();
  }

  /** As of at most 5 s ago. */
  isActive(tenantId: string): boolean | Promise<boolean> {
    const known = this.cache.tenants.get(tenantId);
    if (known) return known.isActive;
    const look = async (): Promise<{ isActive: boolean }> => ({
      isActive: (await this.store.find(tenantId))?.status === 'active',
    });
    return this.cache.tenants.load(tenantId, look).then(({ isActive }) => isActive);
  }

  /** All tenants, by id. */
  list(): Promise<readonly Tenant[]> {
    return this.store.list();
  }

  /** @throws AppError TENANT_NOT_FOUND */
  async find(id: string): Promise<Tenant> {
    return foundTenant(await this.store.find(id), id);
  }

  /**
   * Creates an active tenant.
   *
   * @param name for people; the id if it is absent
   * @throws AppError INVALID_PARAMETER, TENANT_EXISTS
   */
  async create(id: string, by: Origin, name: string = id): Promise<Tenant> {
    const tenant = this.newTenant(checkedSlug(id, 'id'), checkedName(name, 'name'));
    await this.unitOfWork.write(async (tx) => {
      if (!(await this.store.insert(tx, tenant))) throw taken(id);
      await this.record(tx, 'tenant.created', id, by);
    });
    this.cache.clear();
    return tenant;
  }

  /**
   * Refuses the credentials of a tenant: at once in this process, within 5 s in all others. Its runs continue.
   *
   * @throws AppError TENANT_NOT_FOUND
   */
  suspend(id: string, by: Origin): Promise<Tenant> {
    return this.setStatus(id, 'suspended', by);
  }

  /** Accepts the credentials of a tenant again. @throws AppError TENANT_NOT_FOUND */
  resume(id: string, by: Origin): Promise<Tenant> {
    return this.setStatus(id, 'active', by);
  }

  /**
   * Gives a tenant another id, in one transaction: all its data has it then. After the tenant `default` was
   * renamed, there is an empty tenant `default`. Signed URLs and encrypted contents that were given out before
   * are no longer accepted.
   *
   * @throws AppError TENANT_NOT_FOUND, TENANT_EXISTS, INVALID_PARAMETER; TENANT_BUSY while runs of the tenant
   *   wait or are executed
   */
  async rename(from: string, to: string, by: Origin): Promise<RenamedTenant> {
    checkedSlug(to, 'id');
    const movedRows = await this.unitOfWork.write(async (tx) => {
      foundTenant(await this.store.findForUpdate(tx, from), from);
      if (await this.store.findForUpdate(tx, to)) throw taken(to);
      if (await this.store.hasUnfinishedRuns(tx, from)) throw new AppError('TENANT_BUSY');
      const moved = await this.store.changeId(tx, from, to, this.clock.now());
      await this.record(tx, 'tenant.renamed', to, by, { from, to });
      if (from === DEFAULT_TENANT) await this.store.insert(tx, this.newTenant(DEFAULT_TENANT, 'Default'));
      return moved;
    });
    this.cache.clear();
    return { tenant: await this.find(to), movedRows };
  }

  /**
   * A tenant, locked until the transaction ends.
   *
   * @throws AppError TENANT_NOT_FOUND; TENANT_BUSY while runs of the tenant wait or are executed
   */
  async lockIdle(tx: Transaction, id: string): Promise<Tenant> {
    const tenant = foundTenant(await this.store.findForUpdate(tx, id), id);
    if (await this.store.hasUnfinishedRuns(tx, id)) throw new AppError('TENANT_BUSY');
    return tenant;
  }

  private async setStatus(id: string, status: TenantStatus, by: Origin): Promise<Tenant> {
    const tenant = await this.unitOfWork.write(async (tx) => {
      const current = foundTenant(await this.store.findForUpdate(tx, id), id);
      if (current.status === status) return current;
      const changed = { ...current, status, updatedAt: this.clock.now() };
      await this.store.update(tx, changed);
      await this.record(tx, status === 'suspended' ? 'tenant.suspended' : 'tenant.resumed', id, by);
      return changed;
    });
    this.cache.clear();
    return tenant;
  }

  private record(
    tx: Transaction,
    action: AuditAction,
    id: string,
    by: Origin,
    details: JsonObject = {},
  ): Promise<void> {
    return this.trail.write(tx, { tenantId: id, action, by, subject: { kind: 'tenant', id }, details });
  }

  private newTenant(id: string, name: string): Tenant {
    const now = this.clock.now();
    return { id, name, status: 'active', settings: {}, createdAt: now, updatedAt: now };
  }
}

/** @throws AppError TENANT_NOT_FOUND for a tenant that does not exist */
export function foundTenant(tenant: Tenant | undefined, id: string): Tenant {
  if (!tenant) throw new AppError('TENANT_NOT_FOUND', `There is no tenant ${id}`);
  return tenant;
}

function taken(id: string): AppError {
  return new AppError('TENANT_EXISTS', `There is a tenant ${id} already`);
}
