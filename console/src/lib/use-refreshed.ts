import { useQuery, type UseQueryResult } from '@tanstack/react-query';

/** How often it is read again, in milliseconds. */
const REFRESH_MS = 10_000;

/**
 * What the server has at a path, read again every ten seconds.
 *
 * @param path the key of what was read
 * @param enabled whether it is read at all
 */
export function useRefreshed<T>(path: string, read: () => Promise<T>, enabled = true): UseQueryResult<T> {
  return useQuery({ queryKey: [path], queryFn: read, refetchInterval: REFRESH_MS, enabled });
}
