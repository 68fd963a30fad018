import type { LoggedEvent } from '../../events/index.js';
import type { RunLog } from '../ports/run-log.js';
import type { RunRecord } from '../run-record.js';

const PAGE = 1024;

/**
 * The committed events of a run, from the first to the last that the record knows, page by page.
 *
 * @throws Error when events are missing
 */
export async function* logPages(
  log: RunLog,
  { id, rowId, nextSeq }: RunRecord,
): AsyncGenerator<readonly LoggedEvent[], void, void> {
  for (let next = 0; next < nextSeq;) {
    const events = await log.read(rowId, next, PAGE);
    if (events[0]?.seq !== next) throw new Error(`the log of run ${id} has no event ${next} of ${nextSeq}`);
    yield events;
    next += events.length;
  }
}
