import type { ReactNode } from 'react';
import { pretty } from '../lib/format.js';

/** Any value as indented JSON that can be scrolled with the keyboard. */
export function Json({ value, label }: { readonly value: unknown; readonly label: string }): ReactNode {
  return (
    <pre className="json" tabIndex={0} role="region" aria-label={label}>
      {pretty(value)}
    </pre>
  );
}
