import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { json } from '../api/client.js';
import { useSignIn } from '../api/credential.js';
import type { Whoami } from '../api/types.js';

/** The question who the server takes the person for. */
export function useWhoami(): UseQueryResult<Whoami> {
  const signIn = useSignIn();
  return useQuery({ queryKey: ['whoami', signIn], queryFn: () => json<Whoami>('whoami'), staleTime: Infinity });
}

/** Who the server takes the person for; undefined until it has said so. */
export function useMe(): Whoami | undefined {
  return useWhoami().data;
}

/** Why the credential of the person may not do what needs a scope; undefined if it may, or while it is not known. */
export function useLack(scope: string): string | undefined {
  const me = useMe();
  return me && !me.scopes.includes(scope) ? lackOf(scope) : undefined;
}

/** A sentence for a person whose credential has not a scope. */
export function lackOf(scope: string): string {
  return `Your credential may not do this: it lacks the scope ${scope}.`;
}
