import { type InfiniteData, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { type Query, type SseBlock, stream } from '../api/client.js';
import type { Page, Run } from '../api/types.js';
import { wait } from '../lib/wait.js';

const PAUSE_MS = 2000;
const AGAIN_MS = 2000;

/**
 * Keeps a list of runs that was read with `usePages` current: runs that change are replaced at their place, new ones
 * that match the filters come first, and those that were removed disappear. Only for a run that continues another one,
 * the list is read again, at most every two seconds.
 */
export function useLiveRuns(path: string, query: Query): void {
  const queries = useQueryClient();
  const filters = JSON.stringify(query);
  useEffect(() => {
    const aborter = new AbortController();
    const { signal } = aborter;
    const wanted = JSON.parse(filters) as Query;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const readAgain = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void queries.invalidateQueries({ queryKey: [path, wanted] });
      }, AGAIN_MS);
    };
    const apply = ({ event, data }: SseBlock): void => {
      const run = JSON.parse(data) as Run;
      queries.setQueryData<InfiniteData<Page<Run>>>(
        [path, wanted],
        (known) => known && (event === 'removed' ? without(known, run) : merged(known, run, wanted)),
      );
      // The run that it continues waits no more, which is not a change of that run.
      if (event !== 'removed' && run.turn) readAgain();
    };
    const follow = async (): Promise<void> => {
      while (!signal.aborted) {
        try {
          for await (const frame of stream('api/v1/runs/stream', { signal })) apply(frame);
        } catch {
          // The list says what is wrong; the stream is only opened again.
        }
        await wait(PAUSE_MS, signal);
        if (!signal.aborted) await queries.invalidateQueries({ queryKey: [path, wanted] });
      }
    };
    void follow();
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [queries, path, filters]);
}

/** The pages with a run that has changed. */
export function merged(known: InfiniteData<Page<Run>>, run: Run, query: Query): InfiniteData<Page<Run>> {
  const isKnown = known.pages.some(({ data }) => data.some(({ id }) => id === run.id));
  if (!isKnown && !matches(run, query)) return known;
  const pages = known.pages.map((page, index) => {
    if (isKnown) return { ...page, data: page.data.map((one) => (one.id === run.id ? run : one)) };
    return index === 0 ? { ...page, data: [run, ...page.data] } : page;
  });
  return { ...known, pages };
}

/** The pages without a run. */
export function without(
  known: InfiniteData<Page<Run>>,
  { id, userId }: Pick<Run, 'id' | 'userId'>,
): InfiniteData<Page<Run>> {
  const isOther = (run: Run): boolean => run.id !== id || run.userId !== userId;
  return { ...known, pages: known.pages.map((page) => ({ ...page, data: page.data.filter(isOther) })) };
}

/** Whether a new run belongs into the list. Text and times are left to the server. */
function matches(run: Run, { status, agent, wire, user, session, text, since, until }: Query): boolean {
  if (text || since || until) return false;
  const wanted = [
    [status, run.status],
    [agent, run.agent],
    [wire, run.wire],
    [user, run.userId],
    [session, run.sessionId],
  ];
  return wanted.every(([want, has]) => !want || want === has);
}
