import { useInfiniteQuery } from '@tanstack/react-query';
import { json, type Query } from '../api/client.js';
import type { Page } from '../api/types.js';

/** The rows of a list that have been read so far. */
export interface Rows<T> {
  readonly rows: readonly T[];
  readonly error: Error | null;
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  /** Reads the next page, unless it is being read. */
  readonly more: () => void;
  readonly refresh: () => void;
}

/** A list of the server, page by page. @param cursorName the parameter that a page's `nextCursor` is sent as */
export function usePages<T>(path: string, query: Query = {}, cursorName = 'cursor'): Rows<T> {
  const pages = useInfiniteQuery({
    queryKey: [path, query],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === undefined ? {} : { [cursorName]: pageParam };
      return json<Page<T>>(path, { query: { ...query, ...cursor }, signal });
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  return {
    rows: pages.data?.pages.flatMap(({ data }) => data) ?? [],
    error: pages.error,
    isLoading: pages.isLoading,
    hasMore: pages.hasNextPage,
    more: () => void (pages.isFetchingNextPage || pages.fetchNextPage()),
    refresh: () => void pages.refetch(),
  };
}
