import type { ReactNode } from 'react';
import type { FieldProps } from './field.js';
import { describedBy, FieldHint } from './field-hint.js';
import { inputTypeOf, typeOf } from './schema-values.js';

/** A text, a number, a date or a time. */
export function TextField({ id, title, schema, value, isRequired, onChange }: FieldProps): ReactNode {
  const type = inputTypeOf(schema);
  const read = (text: string): unknown => {
    if (type === 'number') return text === '' ? undefined : Number(text);
    return text === '' && !isRequired ? undefined : text;
  };
  return (
    <>
      <label htmlFor={id} className={isRequired ? 'required' : undefined}>
        {title}
      </label>
      <input
        id={id}
        type={type}
        {...(type === 'number' && {
          step: typeOf(schema) === 'integer' ? 1 : 'any',
          min: numberOf(schema['minimum']),
          max: numberOf(schema['maximum']),
        })}
        minLength={numberOf(schema['minLength'])}
        maxLength={numberOf(schema['maxLength'])}
        required={isRequired}
        {...describedBy(id, schema)}
        value={typeof value === 'string' || typeof value === 'number' ? value : ''}
        onChange={({ target }) => onChange(read(target.value))}
      />
      <FieldHint id={id} schema={schema} />
    </>
  );
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
