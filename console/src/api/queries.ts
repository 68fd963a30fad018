import { hashKey, QueryCache, QueryClient } from '@tanstack/react-query';
import { ParleyError, isPassing } from './client.js';
import { onRenewal, signInId } from './credential.js';

/**
 * The answers of the server that the page keeps, by query and sign-in: nobody sees what another person has read in
 * this tab. When the server no longer accepts the credential, the page asks again who it is, and so comes to the sign-in.
 */
export function createQueries(): QueryClient {
  const queries = new QueryClient({
    queryCache: new QueryCache({
      onError: (error, { queryKey }) => {
        if (error instanceof ParleyError && error.status === 401 && queryKey[0] !== 'whoami')
          void queries.invalidateQueries({ queryKey: ['whoami'] });
      },
    }),
    defaultOptions: {
      queries: {
        queryKeyHashFn: (key) => hashKey([signInId() ?? null, key]),
        retry: (count, error) => count < 3 && isPassing(error),
        // The server may be on this machine: whether the browser is online says nothing.
        networkMode: 'always',
        staleTime: 2000,
        refetchOnWindowFocus: false,
      },
    },
  });
  // How long the credential is valid is part of the answer. A request that is under way is repeated with the new token
  // if the old one is refused; another one in its place could be refused and renewed without an end.
  onRenewal(() => void queries.invalidateQueries({ queryKey: ['whoami'] }, { cancelRefetch: false }));
  return queries;
}
