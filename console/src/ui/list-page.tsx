import type { ReactNode } from 'react';
import { ErrorNotice } from './error-notice.js';

interface Props {
  readonly title: string;
  /** How many there are, in words; undefined while nothing was read. */
  readonly count: string | undefined;
  /** Why nothing could be read, if so. */
  readonly error: Error | null;
  readonly onRetry: () => void;
  readonly children: ReactNode;
}

/** A page that shows all of something: its title, how many there are, and the cards. */
export function ListPage({ title, count, error, onRetry, children }: Props): ReactNode {
  return (
    <div className="page">
      <header>
        <h1>{title}</h1>
        <span className="muted" role="status">
          {count ?? (error ? '' : 'Loading…')}
        </span>
      </header>
      <ErrorNotice error={error} onRetry={onRetry} />
      {children}
    </div>
  );
}
