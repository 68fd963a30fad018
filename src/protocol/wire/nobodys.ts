import type { Caller } from '../../access/index.js';
import { AppError, type Principal, type Reach } from '../../common/index.js';
import type { Runs, RunView } from '../../run/index.js';
import type { Sessions } from '../../session/index.js';

/** Something of a session, and whose it is. */
type Owned = Pick<Principal, 'userId'> & { readonly sessionId: string };

/** Who asks. */
type Asker = Pick<Caller, 'actingFor' | 'identity' | 'reachOf' | 'tenantId'>;

/**
 * Finds something by its id within the reach of a request. Without authentication, a session that was begun without a
 * user is nobody's: whoever names a user finds it, too, so that it has one owner, whatever names it.
 *
 * @param reach that of the request: of a user, if it names one
 * @param find looks within a reach; undefined if nothing is there
 * @throws what `find` throws
 */
export async function findWithin<T extends Owned>(
  sessions: Pick<Sessions, 'view'>,
  caller: Asker,
  reach: Reach,
  find: (reach: Reach) => Promise<T | undefined>,
): Promise<T | undefined> {
  const own = await find(reach);
  if (own || caller.identity !== undefined || reach.of !== 'user') return own;
  const found = await unlessAmbiguous(find(caller.reachOf()));
  return found && (await isNobodys(sessions, caller, found)) ? found : undefined;
}

/** As `findWithin`, a run. @throws AppError RUN_NOT_FOUND, AMBIGUOUS_ID */
export async function findRun(
  { runs, sessions }: { readonly runs: Pick<Runs, 'view'>; readonly sessions: Pick<Sessions, 'view'> },
  caller: Asker,
  reach: Reach,
  id: string,
): Promise<RunView> {
  const run = await findWithin(sessions, caller, reach, (within) => known(runs.view(within, id)));
  if (!run) throw new AppError('RUN_NOT_FOUND');
  return run;
}

/** True for the user of a session that was begun without one: it is named like the session, also in forks of it. */
async function isNobodys(
  sessions: Pick<Sessions, 'view'>,
  caller: Pick<Asker, 'actingFor' | 'tenantId'>,
  { userId, sessionId }: Owned,
): Promise<boolean> {
  if (userId === sessionId || userId === caller.actingFor().userId) return true;
  return (await sessions.view({ tenantId: caller.tenantId, userId }, userId)) !== undefined;
}

function known(view: Promise<RunView>): Promise<RunView | undefined> {
  return unless('RUN_NOT_FOUND', view);
}

/** Several have the id, and the request's user is none of them. */
function unlessAmbiguous<T>(found: Promise<T | undefined>): Promise<T | undefined> {
  return unless('AMBIGUOUS_ID', found);
}

async function unless<T>(code: AppError['code'], work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError && error.code === code) return undefined;
    throw error;
  }
}
