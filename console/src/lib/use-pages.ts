import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { json, type Query } from '../api/client.js';
import type { Page } from '../api/types.js';

/** The rows of a list that have been read so far. */
export interface Rows<T> {
  readonly rows: readonly T[];
  readonly error: Error | null;
  /** Whether nothing was found yet. */
  readonly isLoading: boolean;
  readonly hasMore: boolean;
  /** Reads the next page, unless it is being read. */
  readonly more: () => void;
  readonly refresh: () => void;
  /** Reads again what could not be read. */
  readonly retry: () => void;
}

/**
 * A list of the server, page by page. A page of the server looks at a part of the list and may be empty although others
 * follow: until something is found, it is read on.
 * @param cursorName the parameter that a page's `nextCursor` is sent as
 */
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
  const rows = pages.data?.pages.flatMap(({ data }) => data) ?? [];
  const isSearching = rows.length === 0 && pages.hasNextPage && pages.error === null;
  const { isFetching, fetchNextPage } = pages;
  useEffect(() => {
    if (isSearching && !isFetching) void fetchNextPage();
  }, [isSearching, isFetching, fetchNextPage]);
  return {
    rows,
    error: pages.error,
    isLoading: pages.isLoading || isSearching,
    hasMore: pages.hasNextPage,
    more: () => void (pages.isFetchingNextPage || pages.fetchNextPage()),
    refresh: () => void pages.refetch(),
    retry: () => void (pages.isFetchNextPageError ? pages.fetchNextPage() : pages.refetch()),
  };
}
