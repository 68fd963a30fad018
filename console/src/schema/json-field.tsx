import { type ReactNode, useState } from 'react';
import { pretty } from '../lib/format.js';
import type { FieldProps } from './field.js';
import { describedBy, FieldHint } from './field-hint.js';

const BROKEN = Symbol('not JSON');

/** Anything that has no field of its own, as JSON. */
export function JsonField({ id, title, schema, value, isRequired, onChange }: FieldProps): ReactNode {
  const [text, setText] = useState(() => (value === undefined ? '' : pretty(value)));
  const [isBroken, setBroken] = useState(false);
  const change = (field: HTMLTextAreaElement): void => {
    const next = field.value;
    const value = valueOf(next);
    setText(next);
    setBroken(value === BROKEN);
    // The browser then does not submit the form.
    field.setCustomValidity(value === BROKEN ? 'This is not JSON.' : '');
    if (value !== BROKEN) onChange(value);
  };
  return (
    <>
      <label htmlFor={id} className={isRequired ? 'required' : undefined}>
        {title} (JSON)
      </label>
      <textarea
        id={id}
        className="code"
        rows={4}
        spellCheck={false}
        required={isRequired}
        aria-invalid={isBroken}
        {...describedBy(id, schema)}
        value={text}
        onChange={({ target }) => change(target)}
      />
      <FieldHint id={id} schema={schema} />
    </>
  );
}

function valueOf(text: string): unknown {
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return BROKEN;
  }
}
