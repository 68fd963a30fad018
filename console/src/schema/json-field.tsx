import { type ReactNode, useState } from 'react';
import { pretty } from '../lib/format.js';
import type { FieldProps } from './field.js';
import { describedBy, FieldHint } from './field-hint.js';

/** Anything that has no field of its own, as JSON. */
export function JsonField({ id, title, schema, value, isRequired, onChange }: FieldProps): ReactNode {
  const [text, setText] = useState(() => (value === undefined ? '' : pretty(value)));
  const [isBroken, setBroken] = useState(false);
  const change = (next: string): void => {
    setText(next);
    try {
      onChange(next.trim() === '' ? undefined : JSON.parse(next));
      setBroken(false);
    } catch {
      setBroken(true);
    }
  };
  return (
    <>
      <label htmlFor={id}>{title} (JSON)</label>
      <textarea
        id={id}
        className="code"
        rows={4}
        spellCheck={false}
        required={isRequired}
        aria-invalid={isBroken}
        {...describedBy(id, schema)}
        value={text}
        onChange={({ target }) => change(target.value)}
      />
      <FieldHint id={id} schema={schema} />
    </>
  );
}
