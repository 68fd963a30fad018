import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { json } from '../api/client.js';
import type { Interrupt, Page } from '../api/types.js';

/** The most that are counted. */
const MOST = 99;
const REFRESH_MS = 5000;

/** How many approvals and questions wait, for the navigation; nothing while none does. */
export function InboxCount(): ReactNode {
  const { data } = useQuery({
    queryKey: ['interrupts', 'count'],
    queryFn: () => json<Page<Interrupt>>('interrupts', { query: { status: 'pending', limit: MOST } }),
    refetchInterval: REFRESH_MS,
  });
  const count = data?.data.length ?? 0;
  if (count === 0) return null;
  return (
    <span className="count">
      {data?.nextCursor ? `${MOST}+` : count}
      <span className="visually-hidden"> waiting</span>
    </span>
  );
}
