import { Injectable } from '@nestjs/common';
import { Clock, LookupCache } from '../../common/index.js';
import type { KeyVerdict } from '../api-keys/key-verdict.js';

/** How long a revocation or suspension by another process may go unnoticed (contract access, section 3.1). */
const LIMITS = { maxAgeMs: 5000, maxEntries: 10_000 };

/** What this process remembers of keys and tenants. To be cleared by whoever changes them. */
@Injectable()
export class AccessCache {
  /** By the hash of the presented key; also of keys that are not valid. */
  readonly keys: LookupCache<KeyVerdict>;
  /** By the id of the tenant. */
  readonly tenants: LookupCache<{ readonly isActive: boolean }>;

  constructor(clock: Clock) {
    this.keys = new LookupCache(clock, LIMITS);
    this.tenants = new LookupCache(clock, LIMITS);
  }

  /** Makes changes of keys and tenants take effect at once in this process. */
  clear(): void {
    this.keys.clear();
    this.tenants.clear();
  }
}
