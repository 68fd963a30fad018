import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/index.js';
import { AccessSettings } from '../access.settings.js';
import { limitsOfIdentity, LimitTable } from './limit-table.js';
import { type Bucket, rateBucket, RateLimits, windowBucket } from './rate-limits.js';
import { tooMany } from './request-rates.js';

const DAY_SECONDS = 86_400;
/** As `RunLimits.tenantShare`, with authentication. */
const TENANT_SHARE = 0.5;

/** As `CountedStart` of the port `RunLimits`. */
interface CountedStart {
  readonly active: { readonly user: number; readonly tenant: number };
  undo(): void;
}

/** The rates of users and tenants, once it is known who a request acts for (contract access, section 6). */
@Injectable()
export class OwnerRates {
  constructor(
    private readonly settings: AccessSettings,
    private readonly rates: RateLimits,
    private readonly limits: LimitTable,
  ) {}

  /** As `RunLimits.tenantShare`. */
  get tenantShare(): number {
    return this.settings.isAuthenticated ? TENANT_SHARE : 1;
  }

  /** As `RunLimits.countStart`. */
  async countStart({ tenantId, userId }: Principal, runsPerMinute?: number): Promise<CountedStart | undefined> {
    if (!this.settings.isAuthenticated) return undefined;
    const own = runsPerMinute === undefined ? undefined : { runs: runsPerMinute };
    const { user, tenant } = limitsOfIdentity(await this.limits.of(tenantId), own);
    const buckets: [Bucket, ...Bucket[]] = [
      rateBucket('user-runs', [tenantId, userId], user.runStarts),
      rateBucket('tenant-runs', [tenantId], tenant.runStarts),
    ];
    const decision = await this.rates.take(buckets);
    if (!decision.allowed) throw tooMany('Too many runs were started', decision);
    const active = { user: user.activeRuns, tenant: tenant.activeRuns };
    return { active, undo: () => this.rates.giveBack(buckets) };
  }

  /** Counts an upload, before it is stored. @throws AppError RATE_LIMIT_EXCEEDED */
  async countUpload(owner: Principal, bytes: number): Promise<void> {
    if (!this.settings.isAuthenticated) return;
    const { user } = await this.limits.of(owner.tenantId);
    const window = { limit: user.uploadBytesPerDay, seconds: DAY_SECONDS };
    const decision = await this.rates.take([windowBucket('uploads', [owner.tenantId, owner.userId], window)], bytes);
    if (!decision.allowed) throw tooMany('Too many bytes were uploaded', decision);
  }
}
