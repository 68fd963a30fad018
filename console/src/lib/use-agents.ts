import { useQuery } from '@tanstack/react-query';
import { parley } from '../api/client.js';
import type { Agent } from '../api/types.js';

/** The agents that the person may run. */
export interface Agents {
  readonly all: readonly Agent[];
  /** Those that requests may name. */
  readonly named: readonly Agent[];
  /** The agent of requests that name none. */
  readonly standard: Agent | undefined;
}

/** The agents of the server; empty until they are known. */
export function useAgents(): Agents {
  const { data } = useQuery({
    queryKey: ['api/v1/agents'],
    queryFn: () => parley().agents(),
    staleTime: 60_000,
  });
  const all = data ?? [];
  return {
    all,
    named: all.filter(({ exposure }) => exposure === 'public'),
    standard: all.find(({ isDefault }) => isDefault),
  };
}
