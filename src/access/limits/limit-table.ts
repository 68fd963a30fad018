import { Logger } from '@nestjs/common';
import { LookupCache, type WallClock } from '../../common/index.js';
import type { OwnLimits } from '../identity/identity.js';
import {
  DEFAULT_LIMITS,
  type LimitOverrides,
  type Limits,
  type LimitsFile,
  scaledRate,
  withOverrides,
} from './limit-values.js';

/** The limits of a tenant are read again before they are as old as the 5 s that are allowed (contract access, section 6). */
const CACHE = { maxAgeMs: 4000, maxEntries: 10_000 };

/** Where the limits of a tenant are stored that an administrator has changed. */
export abstract class StoredLimits {
  /** Undefined for a tenant whose limits nobody has changed. @throws the driver's error */
  abstract of(tenantId: string): Promise<LimitOverrides | undefined>;
}

/** The limits of each tenant: the defaults, LIMITS_FILE, and what was changed while the server runs. */
export class LimitTable {
  private readonly logger = new Logger(LimitTable.name);
  private readonly cache: LookupCache<Limits>;
  private readonly base: Limits;

  constructor(
    private readonly file: LimitsFile,
    clock: WallClock,
    private readonly stored?: StoredLimits,
  ) {
    this.cache = new LookupCache(clock, CACHE);
    this.base = withOverrides(DEFAULT_LIMITS, file);
  }

  /** The limits of a tenant, not older than 5 s. If they cannot be read: those that were read last. */
  of(tenantId: string): Limits | Promise<Limits> {
    return this.cache.get(tenantId) ?? this.cache.load(tenantId, () => this.read(tenantId));
  }

  /** The limits that were read last, without waiting. */
  current(tenantId: string): Limits {
    return this.cache.newest(tenantId) ?? this.configured(tenantId);
  }

  /** Makes a change of this process count at once. */
  forget(tenantId: string): void {
    this.cache.forget(tenantId);
  }

  /** The limits of a tenant that nobody has changed while the server runs. */
  configured(tenantId: string): Limits {
    const { tenants = {} } = this.file;
    return withOverrides(this.base, Object.hasOwn(tenants, tenantId) ? tenants[tenantId] : undefined);
  }

  private async read(tenantId: string): Promise<Limits> {
    try {
      return withOverrides(this.configured(tenantId), await this.stored?.of(tenantId));
    } catch (error) {
      this.logger.warn(`The limits of a tenant could not be read: ${String(error)}`);
      return this.current(tenantId);
    }
  }
}

/** The limits of a tenant with those of the credential itself in place of the user's. */
export function limitsOfIdentity(limits: Limits, own: OwnLimits | undefined): Limits {
  if (!own) return limits;
  const { user } = limits;
  const { requests, runs } = own;
  return {
    ...limits,
    user: {
      ...user,
      requests: requests === undefined ? user.requests : scaledRate(user.requests, requests),
      runStarts: runs === undefined ? user.runStarts : scaledRate(user.runStarts, runs),
    },
  };
}
