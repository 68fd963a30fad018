import type { ReactNode } from 'react';
import type { Schema } from '../api/types.js';

/** The description of a field; nothing if its schema has none. */
export function FieldHint({ id, schema }: { readonly id: string; readonly schema: Schema }): ReactNode {
  const text = hintOf(schema);
  return text === undefined ? null : (
    <p id={`${id}-hint`} className="muted">
      {text}
    </p>
  );
}

/** The attribute that connects a field with its hint. */
export function describedBy(id: string, schema: Schema): { readonly 'aria-describedby'?: string } {
  return hintOf(schema) === undefined ? {} : { 'aria-describedby': `${id}-hint` };
}

function hintOf({ description }: Schema): string | undefined {
  return typeof description === 'string' && description !== '' ? description : undefined;
}
