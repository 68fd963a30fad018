import { Injectable } from '@nestjs/common';
import { type Authority, Clock } from '../../common/index.js';
import { ApiKeyStore } from '../ports/api-key-store.js';
import { Scopes } from '../identity/scopes.js';
import { TenantDirectory } from '../tenants/tenant-directory.js';
import type { ApiKey } from './api-key.js';

const MOST_KEYS = 100;
const PATTERNS = ['agents', 'tools', 'models'] as const;

/** Whether those who act later, in the name of what a credential has set up, still may (contract hooks, section B2). */
@Injectable()
export class ActorStanding {
  constructor(
    private readonly keys: ApiKeyStore,
    private readonly tenants: TenantDirectory,
    private readonly clock: Clock,
  ) {}

  /**
   * Why an authority no longer holds, as a sentence; undefined if it does. A key that was rotated is replaced by another of
   * its account. Credentials that others issue cannot be asked for: their users keep what they had.
   *
   * @param authority null without authentication
   */
  async problemOf(tenantId: string, authority: Authority | null): Promise<string | undefined> {
    if (authority === null) return undefined;
    if (!(await this.tenants.isActive(tenantId))) return 'The tenant is suspended';
    const { actor } = authority;
    if (actor.kind !== 'key') return undefined;
    const stored = await this.keys.findForVerification(actor.id);
    const own = stored?.key.tenantId === tenantId ? stored.key : undefined;
    const account = own?.account ?? actor.account;
    if (own && this.holds(own)) return covers(own, authority) ? undefined : NARROWED;
    if ((own && own.revokedAt !== null) || account === undefined) return 'The key that created it was revoked';
    const others = await this.keys.list({ of: 'tenant', tenantId }, { account, limit: MOST_KEYS });
    const living = others.filter((key) => this.holds(key));
    if (living.length === 0) return 'The key that created it has expired';
    return living.some((key) => covers(key, authority)) ? undefined : NARROWED;
  }

  private holds({ revokedAt, expiresAt, overlapUntil }: ApiKey): boolean {
    const now = this.clock.now();
    if (revokedAt !== null) return false;
    return (expiresAt === null || expiresAt > now) && (overlapUntil === null || overlapUntil > now);
  }
}

const NARROWED = 'The key that created it has fewer rights than before';

/** Whether a key still has the right to schedule, and all patterns of an authority. */
function covers(key: ApiKey, authority: Authority): boolean {
  const scopes = new Scopes(key.scopes);
  if (!scopes.has('schedules:write')) return false;
  return PATTERNS.every((kind) => {
    const had = authority[kind];
    const has = scopes.patterns(kind);
    // Without patterns of agents and tools, all are allowed; without those of models, none but the configured one.
    if (had.length === 0) return kind === 'models' || has.length === 0;
    return had.every((pattern) => has.includes(pattern)) || (kind !== 'models' && has.length === 0);
  });
}
