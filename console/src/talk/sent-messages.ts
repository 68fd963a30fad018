import { json } from '../api/client.js';
import type { Page, Run, SessionMessage } from '../api/types.js';
import { isObject } from '../lib/format.js';
import type { EntryOf } from './transcript.js';

/** As many messages as one page of the server has. */
const PAGE = 100;
/** Pages that are read at most. */
const MOST_PAGES = 20;

/** A result of a client tool. */
export interface ReturnedResult {
  readonly run: string | null;
  readonly callId: string;
  readonly output: string;
}

/** What clients have sent in the runs of a session. */
export interface SentMessages {
  /** The messages of the person, by run. */
  readonly entries: ReadonlyMap<string, readonly EntryOf<'user'>[]>;
  /** The results of client tools that runs began with, in order. */
  readonly results: readonly ReturnedResult[];
}

/**
 * What the person has sent in the runs of a session, by run. A run whose messages are not found, because it has not
 * been stored or is too long ago, has the beginning of its text that the list of runs names.
 *
 * @param runs of one session, newest first
 */
export async function sentMessages(runs: readonly Run[], signal: AbortSignal): Promise<SentMessages> {
  const sent = new Map(runs.map(({ id, input }) => [id, input === null ? [] : [userEntry(`user-of-${id}`, input)]]));
  const [first] = runs;
  const found = first === undefined ? [] : await messagesOf(first, runs.length, signal);
  const stored = new Map<string, EntryOf<'user'>[]>();
  for (const { seq, runId, message } of found.reverse()) {
    const entry = entryOf(seq, message);
    if (runId !== null && entry) stored.set(runId, [...(stored.get(runId) ?? []), entry]);
  }
  for (const [id, entries] of stored) if (sent.has(id)) sent.set(id, entries);
  return { entries: sent, results: found.flatMap(resultsIn) };
}

/** The messages of a session, newest first, until as many runs were seen. */
async function messagesOf({ sessionId, userId }: Run, runs: number, signal: AbortSignal): Promise<SessionMessage[]> {
  const path = `api/v1/sessions/${encodeURIComponent(sessionId)}/messages`;
  const found: SessionMessage[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const query = { user: userId, limit: PAGE, cursor };
    const { data, nextCursor } = await json<Page<SessionMessage>>(path, { query, signal });
    found.push(...data);
    if (nextCursor === null || new Set(found.map(({ runId }) => runId)).size > runs) break;
    cursor = nextCursor;
  }
  return found;
}

/** The entry of a message of the person; undefined for all others. */
export function entryOf(seq: number, message: unknown): EntryOf<'user'> | undefined {
  if (!isObject(message) || message['role'] !== 'user' || message['type'] !== 'message') return undefined;
  const contents = Array.isArray(message['content']) ? message['content'].filter(isObject) : [];
  const texts = contents.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []));
  const images = contents.flatMap(({ type, image_url: url }) =>
    type === 'image' && typeof url === 'string' ? [url] : [],
  );
  return { ...userEntry(`user-message-${seq}`, texts.join('\n')), images };
}

function resultsIn({ runId: run, message }: SessionMessage): readonly ReturnedResult[] {
  if (!isObject(message) || message['type'] !== 'function_call_output') return [];
  const contents = Array.isArray(message['content']) ? message['content'].filter(isObject) : [];
  return contents.flatMap(({ data }): readonly ReturnedResult[] => {
    if (!isObject(data) || typeof data['call_id'] !== 'string') return [];
    const { output } = data;
    return [
      { run, callId: data['call_id'], output: typeof output === 'string' ? output : JSON.stringify(output ?? null) },
    ];
  });
}

function userEntry(id: string, text: string): EntryOf<'user'> {
  return { kind: 'user', id, text, images: [] };
}
