import { Logger } from '@nestjs/common';
import type { OwnLimits } from '../identity.js';
import {
  DEFAULT_LIMITS,
  type LimitOverrides,
  type Limits,
  type LimitsFile,
  scaledRate,
  withOverrides,
} from './limit-values.js';

/** How long the limits of a tenant are used before they are read again (contract access, section 6: 5 s). */
const FRESH_MS = 4000;
/** Tenants whose limits are kept at the same time. */
const KEPT_TENANTS = 10_000;

/** Where the limits of a tenant are stored that an administrator has changed. */
export abstract class StoredLimits {
  /** Undefined for a tenant whose limits nobody has changed. @throws the driver's error */
  abstract of(tenantId: string): Promise<LimitOverrides | undefined>;
}

interface Entry {
  readonly limits: Limits;
  readonly readAt: number;
}

/** The limits of each tenant: the defaults, LIMITS_FILE, and what was changed while the server runs. */
export class LimitTable {
  private readonly logger = new Logger(LimitTable.name);
  private readonly entries = new Map<string, Entry>();
  private readonly reading = new Map<string, Promise<Limits>>();
  private readonly base: Limits;

  constructor(
    private readonly file: LimitsFile,
    private readonly stored?: StoredLimits,
  ) {
    this.base = withOverrides(DEFAULT_LIMITS, file);
  }

  /** The limits of a tenant, not older than 5 s. If they cannot be read: those that were read last. */
  of(tenantId: string): Limits | Promise<Limits> {
    const entry = this.entries.get(tenantId);
    if (entry && Date.now() - entry.readAt < FRESH_MS) return entry.limits;
    let reading = this.reading.get(tenantId);
    if (!reading) {
      reading = this.read(tenantId).finally(() => this.reading.delete(tenantId));
      this.reading.set(tenantId, reading);
    }
    return reading;
  }

  /** The limits that were read last, without waiting. */
  current(tenantId: string): Limits {
    return this.entries.get(tenantId)?.limits ?? this.configured(tenantId);
  }

  /** Makes a change of this process count at once. */
  forget(tenantId: string): void {
    this.entries.delete(tenantId);
  }

  /** The limits of a tenant that nobody has changed while the server runs. */
  configured(tenantId: string): Limits {
    const { tenants = {} } = this.file;
    return withOverrides(this.base, Object.hasOwn(tenants, tenantId) ? tenants[tenantId] : undefined);
  }

  private async read(tenantId: string): Promise<Limits> {
    let limits = this.entries.get(tenantId)?.limits ?? this.configured(tenantId);
    try {
      limits = withOverrides(this.configured(tenantId), await this.stored?.of(tenantId));
    } catch (error) {
      this.logger.warn(`The limits of a tenant could not be read: ${String(error)}`);
    }
    if (this.entries.size >= KEPT_TENANTS) this.entries.clear();
    this.entries.set(tenantId, { limits, readAt: Date.now() });
    return limits;
  }
}

/** The limits of a tenant with those of the credential itself in place of the user's. */
export function limitsOfIdentity({ user, ...limits }: Limits, own: OwnLimits | undefined): Limits {
  if (!own) return { user, ...limits };
  const { requests, runs } = own;
  const changes = {
    ...(requests === undefined ? {} : { requests: scaledRate(user.requests, requests) }),
    ...(runs === undefined ? {} : { runStarts: scaledRate(user.runStarts, runs) }),
  };
  return { user: { ...user, ...changes }, ...limits };
}
