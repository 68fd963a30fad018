import type { Caller } from '../../access/index.js';
import { AppError, type Principal, type Reach, userReach } from '../../common/index.js';
import type { Runs, RunView } from '../../run/index.js';
import type { Sessions } from '../../agent/session/index.js';
import type { Wires } from './wires.js';

/** Something of a session, and its owner. */
type Owned = Pick<Principal, 'userId'> & { readonly sessionId: string; readonly runId: string };

/** The sender of the request. */
type Asker = Pick<Caller, 'actingFor' | 'identity' | 'reachOf' | 'tenantId'>;

/** Where to look. */
export interface Nobodys {
  readonly runs: Pick<Runs, 'view'>;
  readonly sessions: Pick<Sessions, 'view'>;
  readonly wires: Pick<Wires, 'sharesUnnamed'>;
}

/**
 * Finds something by its id within the reach of a request. Without authentication, a session that was begun without a
 * user may be nobody's (`Wire.sharesUnnamed`): whoever names a user then finds what is in it, so that it has one owner,
 * whatever names it.
 *
 * @param reach that of the request: of a user, if it names one
 * @param find looks within a reach; undefined if nothing is there
 * @throws what `find` throws
 */
export async function findWithin<T extends Owned>(
  ledger: Nobodys,
  caller: Asker,
  reach: Reach,
  find: (reach: Reach) => Promise<T | undefined>,
): Promise<T | undefined> {
  const own = await find(reach);
  if (own || caller.identity !== undefined || reach.of !== 'user') return own;
  // Several may have the id, and the user of the request is none of them.
  const found = await unless('AMBIGUOUS_ID', find(caller.reachOf()));
  return found && (await isNobodys(ledger, caller, found)) ? found : undefined;
}

/** As `findWithin`, a run. @throws AppError RUN_NOT_FOUND, AMBIGUOUS_ID */
export async function findRun(ledger: Nobodys, caller: Asker, reach: Reach, id: string): Promise<RunView> {
  const view = (within: Reach): Promise<RunView | undefined> => unless('RUN_NOT_FOUND', ledger.runs.view(within, id));
  const run = await findWithin(ledger, caller, reach, view);
  if (!run) throw new AppError('RUN_NOT_FOUND');
  return run;
}

/** True for a run of such a wire whose user is named like its session, or like the one that it is a fork of. */
async function isNobodys(
  { runs, sessions, wires }: Nobodys,
  caller: Pick<Asker, 'actingFor' | 'tenantId'>,
  { userId, sessionId, runId }: Owned,
): Promise<boolean> {
  const owner = { tenantId: caller.tenantId, userId };
  const run = await unless('RUN_NOT_FOUND', runs.view(userReach(owner), runId));
  if (!run || !wires.sharesUnnamed(run.wire)) return false;
  if (userId === sessionId || userId === caller.actingFor().userId) return true;
  return (await sessions.view(owner, userId)) !== undefined;
}

async function unless<T>(code: AppError['code'], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError && error.code === code) return undefined;
    throw error;
  }
}
