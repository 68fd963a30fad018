import { useQuery } from '@tanstack/react-query';
import { json } from './client.js';
import type { Info } from './types.js';

/** What the server says before anybody has signed in; undefined until it has. */
export function useInfo(): Info | undefined {
  return useQuery({ queryKey: ['console'], queryFn: () => json<Info>('api/v1/console'), staleTime: Infinity }).data;
}
