import type { Turn } from '../remote-kind.js';
import { fieldsOf, type Fields, objectsAt, textAt } from '../json-fields.js';
import { RemoteFailure } from '../remote-failure.js';
import type { A2aCall } from './a2a-calls.js';
import type { A2aInterface } from './a2a-card.js';
import { innerOf, resultIn } from './a2a-frames.js';
import { handleOf } from './a2a-handle.js';
import { messageOf } from './a2a-message.js';

/** How many messages of a task are looked at: ours is the last or one of the last. */
const HISTORY = 20;
/** Tasks of a page, and pages. */
const PAGE = 20;
const MOST_PAGES = 25;
/** How long pages are asked for, in milliseconds. */
const LONGEST_MS = 30_000;
/** How much the clock of the agent may be behind ours, in milliseconds. */
const SKEW_MS = 60_000;

/** Where a message is looked for. */
export interface Search {
  readonly turn: Turn;
  readonly at: A2aInterface;
  /** When its request was about to be sent, in milliseconds of the epoch. */
  readonly begunAt: number;
  /** Makes a call. @throws RemoteFailure; the reason of an end */
  readonly call: (call: A2aCall) => Promise<unknown>;
}

/**
 * Looks for the message of a turn: in the task that it answers, or in the tasks of its context, or, without one, in those that
 * have changed since it was sent (contract a2a, section 15.3).
 *
 * @returns the handle of its task; undefined if it was not found, or the agent cannot be asked
 */
export async function taskWithMessage({ turn, at, begunAt, call }: Search): Promise<string | undefined> {
  const { messageId, taskId, contextId } = messageOf(turn, at.version);
  const hasOurs = (task: Fields): boolean =>
    objectsAt(task, 'history').some((message) => textAt(message, 'messageId') === messageId);
  const answerTo = async (one: Omit<A2aCall, 'id'>): Promise<Fields> =>
    innerOf(resultIn(fieldsOf({ data: JSON.stringify(await call({ id: turn.id, ...one })) })));
  try {
    if (typeof taskId === 'string') {
      const task = await answerTo({ operation: 'get', taskId, query: { historyLength: HISTORY } });
      return hasOurs(task) ? handleIn(task) : undefined;
    }
    // Version 0.3 has no list.
    if (at.version !== '1.0') return undefined;
    const since = new Date(begunAt - SKEW_MS).toISOString();
    const filter: A2aCall['query'] = typeof contextId === 'string' ? { contextId } : { statusTimestampAfter: since };
    const until = performance.now() + LONGEST_MS;
    for (let page = 0, pageToken = ''; page < MOST_PAGES && performance.now() < until; page += 1) {
      const query = { ...filter, pageSize: PAGE, historyLength: HISTORY, ...(pageToken !== '' && { pageToken }) };
      const answer = await answerTo({ operation: 'list', query });
      const found = objectsAt(answer, 'tasks').find(hasOurs);
      if (found) return handleIn(found);
      pageToken = textAt(answer, 'nextPageToken') ?? '';
      if (pageToken === '') return undefined;
    }
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
  }
  return undefined;
}

function handleIn(task: Fields): string {
  return handleOf(textAt(task, 'id') ?? '', textAt(task, 'contextId') ?? '');
}
