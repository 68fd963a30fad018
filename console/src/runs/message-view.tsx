import type { ReactNode } from 'react';
import { JsonTree } from '../ui/json-tree.js';
import { readable } from './readable.js';

/** A message, or what a step has recorded, as the words in it; all of it can be unfolded below. */
export function MessageView({ value, label }: { readonly value: unknown; readonly label: string }): ReactNode {
  const { role, parts } = readable(value);
  return (
    <article className="message" aria-label={label}>
      <p className="message-role">{role}</p>
      {parts.map((part, index) =>
        typeof part === 'string' ? (
          <p key={index} className="plain">
            {part}
          </p>
        ) : (
          <JsonTree key={index} value={part.value} label={part.label} />
        ),
      )}
      {parts.length === 0 && <p className="muted">Nothing to read.</p>}
    </article>
  );
}
