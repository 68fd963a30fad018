import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { OPERATOR_TENANT, SampledActs } from '../../audit/index.js';
import { AppError } from '../../common/index.js';
import { isInvalidCredential } from '../access-errors.js';
import { AccessSettings } from '../access.settings.js';
import type { Caller } from '../identity/caller.js';
import { placeOf } from '../identity/request-place.js';

/** Nobody whose credential was accepted. */
const UNKNOWN = { kind: 'none', id: 'unknown' } as const;

/** What the audit trail records of requests themselves (contract access, section 8). */
@Injectable()
export class AccessActs {
  constructor(
    private readonly sampled: SampledActs,
    private readonly settings: AccessSettings,
  ) {}

  /** A request that is answered with 401 or 403, for its credential, a missing right, or where it comes from. */
  refused(error: unknown, request: IncomingMessage, caller: Caller | undefined): void {
    const isCredential = error instanceof AppError && error.status === 401;
    const { network } = placeOf(request, this.settings.trustedProxies);
    const place = { requestId: null, network };
    if (isCredential) {
      const reason = isInvalidCredential(error) ? 'invalid' : 'missing';
      const by = { actor: UNKNOWN, userId: null, ...place };
      this.sampled.count({
        ...{ tenantId: OPERATOR_TENANT, action: 'auth.failed', outcome: 'refused', by, details: { reason } },
      });
      return;
    }
    const isScope = error instanceof AppError && (error.headers?.['www-authenticate'] ?? '').includes('scope=');
    const reason = isScope ? 'scope' : caller ? 'right' : 'origin';
    // Whoever claims to act for another acts for nobody.
    const by = { actor: caller?.actor ?? UNKNOWN, userId: null, ...place };
    const tenantId = caller?.tenantId ?? OPERATOR_TENANT;
    this.sampled.count({ tenantId, action: 'access.denied', outcome: 'refused', by, details: { reason } });
  }

  /** A key acts for a user that the request names. */
  actedAs(caller: Caller, userId: string): void {
    const { tenantId, actor } = caller;
    const by = { actor, userId, requestId: null, network: null };
    this.sampled.firstOfDay({ tenantId, action: 'acted.as', by, subject: { kind: 'user', id: userId } });
  }
}
