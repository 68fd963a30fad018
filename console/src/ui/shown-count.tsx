import type { ReactNode } from 'react';
import { count } from '../lib/format.js';

interface Props {
  readonly rows: readonly unknown[];
  readonly isLoading: boolean;
  /** Whether there are more on the server. */
  readonly hasMore: boolean;
  readonly error: unknown;
}

/** How many rows of a list are shown. */
export function ShownCount({ rows, isLoading, hasMore, error }: Props): ReactNode {
  const shown = error && rows.length === 0 ? '' : `${count(rows.length)}${hasMore ? '+' : ''} shown`;
  return (
    <span className="muted" role="status">
      {isLoading ? 'Loading…' : shown}
    </span>
  );
}
