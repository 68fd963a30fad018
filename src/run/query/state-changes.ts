import { AppError } from '../../common/index.js';
import type { Principal } from '../../common/index.js';
import type { RunLog } from '../ports/run-log.js';
import type { StateChange, StateChangePage } from '../ports/run-queries.js';
import type { RunStore } from '../ports/run-store.js';

/** How many runs one page looks at. */
const RUNS_LOOKED_AT = 50;
/** How many commits of one run are read at a time. */
const COMMITS = 200;

/** Before which event of which run of the session a page begins. */
interface Position {
  readonly ordinal: number;
  /** Only events of that run with a smaller number. */
  readonly seq: number;
}

/**
 * The changes of a session's state that its runs have logged, newest first.
 *
 * @throws AppError INVALID_PARAMETER for an unknown cursor
 */
export async function stateChanges(
  { runs, log }: { readonly runs: RunStore; readonly log: RunLog },
  principal: Principal,
  sessionId: string,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<StateChangePage> {
  const from = cursor === undefined ? undefined : positionOf(cursor);
  const before = from && from.ordinal + 1;
  const page = await runs.list(principal, sessionId, {
    limit: RUNS_LOOKED_AT + 1,
    ...(before !== undefined && { before }),
  });
  const items: StateChange[] = [];
  for (const run of page.slice(0, RUNS_LOOKED_AT)) {
    let seq = from?.ordinal === run.ordinal ? from.seq : run.nextSeq;
    for (;;) {
      const events = await log.select(run.rowId, { kinds: ['state'], before: seq, order: 'desc', limit: COMMITS });
      for (const event of events) {
        if (items.length === limit) return { items, nextCursor: `${run.ordinal}.${seq}` };
        items.push({ runId: run.id, event });
        seq = event.seq;
      }
      if (events.length === 0) break;
    }
  }
  const rest = page[RUNS_LOOKED_AT];
  return rest ? { items, nextCursor: `${rest.ordinal}.${rest.nextSeq}` } : { items };
}

function positionOf(cursor: string): Position {
  const [, ordinal, seq] = /^(\d{1,9})\.(\d{1,10})$/.exec(cursor) ?? [];
  if (ordinal === undefined || seq === undefined) throw new AppError('INVALID_PARAMETER', 'Unknown cursor');
  return { ordinal: Number(ordinal), seq: Number(seq) };
}
