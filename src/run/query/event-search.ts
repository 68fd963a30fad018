import { LoggedEvent } from '../../events/index.js';
import type { RunLog } from '../ports/run-log.js';
import type { EventPage, EventQuery } from '../ports/run-queries.js';

/** How many events one page looks at: those that a filter leaves out count, too. */
export const EVENTS_LOOKED_AT = 5000;
/** How many are read at a time. */
const READ_AT_ONCE = 1024;
/** The most JSON on one page, in characters. A page has at least one event. */
const PAGE_CHARACTERS = 4 * 1024 * 1024;

/**
 * A page of the committed events of a run.
 *
 * @param run.total how many events are committed
 */
export async function searchEvents(
  log: RunLog,
  run: { readonly rowId: number; readonly total: number },
  query: EventQuery,
): Promise<EventPage> {
  const { rowId, total } = run;
  const matches = matcherOf(query);
  const items: LoggedEvent[] = [];
  const most = Math.min(total, query.after + 1 + EVENTS_LOOKED_AT);
  let size = 0;
  let next = query.after + 1;
  while (next < most) {
    const hasFilter = query.kinds !== undefined || query.text !== undefined;
    const events = await log.read(rowId, next, hasFilter ? READ_AT_ONCE : query.limit - items.length);
    if (events.length === 0) break;
    for (const event of events) {
      if (event.seq >= most) return { items, next: nextOf(next, total), total };
      const isFound = matches(event);
      if (isFound && items.length > 0 && size + event.json.length > PAGE_CHARACTERS) {
        return { items, next: nextOf(next, total), total };
      }
      next = event.seq + 1;
      if (!isFound) continue;
      items.push(event);
      size += event.json.length;
      if (items.length === query.limit) return { items, next: nextOf(next, total), total };
    }
  }
  return { items, next: nextOf(next, total), total };
}

/** The number of the last event that was looked at, unless it is the last one. */
function nextOf(next: number, total: number): number | undefined {
  return next < total ? next - 1 : undefined;
}

function matcherOf({ kinds, text }: EventQuery): (event: LoggedEvent) => boolean {
  // As the text is written in JSON, without the quotes around it.
  const needle = text === undefined ? undefined : JSON.stringify(text).slice(1, -1).toLowerCase();
  return ({ kind, json }) => {
    if (kinds && !kinds.includes(kind)) return false;
    return needle === undefined || json.toLowerCase().includes(needle);
  };
}
