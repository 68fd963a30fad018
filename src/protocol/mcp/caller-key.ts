import type { Caller } from '../../access/index.js';
import { fingerprint } from '../../common/index.js';

/** Names a caller in what is sealed for it. @throws AppError as `Caller.actingFor` */
export function callerKeyOf(caller: Pick<Caller, 'tenantId' | 'actor' | 'actingFor' | 'headerUser'>): string {
  const { kind, id, account } = caller.actor;
  return fingerprint([caller.tenantId, kind, account ?? id, caller.actingFor(caller.headerUser()).userId]).slice(0, 20);
}
