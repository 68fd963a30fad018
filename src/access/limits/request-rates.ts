import { isIPv6 } from 'node:net';
import { Injectable } from '@nestjs/common';
import { AppError } from '../../common/index.js';
import { isInvalidCredential } from '../access-errors.js';
import { AccessSettings } from '../access.settings.js';
import type { Caller } from '../identity/caller.js';
import type { Need } from '../needs.decorator.js';
import type { Limits } from './limit-values.js';
import { LimitTable, limitsOfIdentity } from './limit-table.js';
import { type Bucket, rateBucket, type RateDecision, RateLimits } from './rate-limits.js';

/** Credentials that are not valid, from one client address. */
const INVALID_CREDENTIALS = { perMinute: 20, burst: 20 };

/** How many requests callers may send, and how many invalid credentials an address may try (contract access, section 6). */
@Injectable()
export class RequestRates {
  constructor(
    private readonly settings: AccessSettings,
    private readonly rates: RateLimits,
    private readonly limits: LimitTable,
  ) {}

  /** Counts a request. Undefined without authentication: then there is no limit. */
  count(caller: Caller, need: Need): RateDecision | Promise<RateDecision> | undefined {
    if (!caller.identity || !this.settings.isAuthenticated) return undefined;
    const limits = this.limits.of(caller.tenantId);
    return limits instanceof Promise
      ? limits.then((read) => this.take(caller, need, read))
      : this.take(caller, need, limits);
  }

  /**
   * What a request is answered whose credential was refused: an address that tries too many gets 429.
   *
   * @param address of the client
   */
  async refusal(error: Error, address: string): Promise<Error> {
    if (!isInvalidCredential(error)) return error;
    const bucket = rateBucket('credentials', [networkOf(address)], INVALID_CREDENTIALS);
    const decision = await this.rates.take([bucket]);
    return decision.allowed ? error : tooMany('Too many credentials that are not valid', decision);
  }

  private take(caller: Caller, need: Need, ofTenant: Limits): RateDecision | Promise<RateDecision> {
    const { tenantId, actor, identity } = caller;
    const limits = limitsOfIdentity(ofTenant, identity?.limits);
    const owner = [tenantId, actor.kind, actor.account ?? actor.id];
    const buckets: [Bucket, ...Bucket[]] = [
      rateBucket('user', owner, limits.user.requests),
      rateBucket('tenant', [tenantId], limits.tenant.requests),
    ];
    if (typeof need !== 'string' && need.some((scope) => scope.startsWith('admin:')))
      buckets.push(rateBucket('admin', owner, limits.admin.requests));
    return this.rates.take(buckets);
  }
}

/** The error of a caller that sends too many of something. @param what such as "Too many requests" */
export function tooMany(what: string, { retryAfterSeconds }: Pick<RateDecision, 'retryAfterSeconds'>): AppError {
  return new AppError('RATE_LIMIT_EXCEEDED', `${what}. Try again in ${retryAfterSeconds} s`, { retryAfterSeconds });
}

/** Whoever has one IPv6 address has the 64 bits behind its network. */
function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [before = '', after] = address.split('%', 1)[0]?.split('::') ?? [];
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const zeros = after === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  return [...head, ...Array<string>(zeros).fill('0'), ...tail].slice(0, 4).join(':').toLowerCase();
}
