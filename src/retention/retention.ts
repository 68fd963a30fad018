import { Injectable } from '@nestjs/common';
import { Clock, LookupCache, type TenantSelection } from '../common/index.js';
import { TenantRetention } from './ports/tenant-retention.js';
import { type RetentionKind, type RetentionOverrides, retentionRule, type RetentionTime } from './retention-periods.js';
import { RetentionSettings } from './retention.settings.js';

/** Periods that are asked for with requests are at most 5 s old. */
const CACHE = { maxAgeMs: 4000, maxEntries: 10_000 };

/** Tenants whose data of a kind is kept equally long. */
export interface RetentionGroup {
  readonly tenants: TenantSelection;
  /** Milliseconds. */
  readonly ms: number;
}

/** For how long the data of each tenant is kept: its own period, otherwise that of the settings. */
@Injectable()
export class Retention {
  private readonly cache: LookupCache<RetentionOverrides>;

  constructor(
    private readonly settings: RetentionSettings,
    private readonly stored: TenantRetention,
    clock: Clock,
  ) {
    this.cache = new LookupCache(clock, CACHE);
  }

  /**
   * The tenants by the period of a kind: each that has one of its own, and all others together. Those whose data is
   * kept for ever are in no group.
   *
   * @throws the driver's error: nothing is to be removed then
   */
  async groups(kind: RetentionKind): Promise<readonly RetentionGroup[]> {
    const own = [...(await this.stored.all())].filter(([, overrides]) => overrides[kind] !== undefined);
    const others = { tenants: { except: own.map(([tenantId]) => tenantId) }, ms: this.settings.defaultOf(kind) };
    const all = [
      others,
      ...own.map(([tenantId, overrides]) => ({ tenants: { only: tenantId }, ms: this.timeOf(kind, overrides) })),
    ];
    return all.flatMap(({ tenants, ms }) => (ms === null ? [] : [{ tenants, ms }]));
  }

  /** The tenants that exist, each with the period of a kind; without those whose data is kept for ever. @throws as `groups` */
  async eachTenant(kind: RetentionKind): Promise<ReadonlyMap<string, number>> {
    const times = [...(await this.stored.all())].map(([id, overrides]) => [id, this.timeOf(kind, overrides)] as const);
    return new Map(times.flatMap(([id, ms]) => (ms === null ? [] : [[id, ms]])));
  }

  /** The period of one tenant, not older than 5 s. @throws the driver's error */
  async of(kind: RetentionKind, tenantId: string): Promise<RetentionTime> {
    const look = (): Promise<RetentionOverrides> => this.stored.of(tenantId);
    return this.timeOf(kind, this.cache.get(tenantId) ?? (await this.cache.load(tenantId, look)));
  }

  /**
   * The period of a tenant with such overrides. One that cannot be read keeps everything: what is removed too early does not
   * come back.
   */
  timeOf(kind: RetentionKind, overrides: RetentionOverrides): RetentionTime {
    const text = overrides[kind];
    if (text === undefined) return this.settings.defaultOf(kind);
    return retentionRule(kind).parse(text) ?? null;
  }
}
