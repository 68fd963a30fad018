import type { ReactNode } from 'react';
import type { FieldProps } from './field.js';
import { describedBy, FieldHint } from './field-hint.js';
import type { Choice } from './schema-values.js';

type Props = FieldProps & { readonly choices: readonly Choice[] };

/** One of several values. */
export function ChoiceField({ id, title, schema, value, isRequired, choices, onChange }: Props): ReactNode {
  const index = choices.findIndex((choice) => choice.value === value);
  return (
    <>
      <label htmlFor={id} className={isRequired ? 'required' : undefined}>
        {title}
      </label>
      <select
        id={id}
        value={index}
        required={isRequired}
        {...describedBy(id, schema)}
        onChange={({ target }) => onChange(choices[Number(target.value)]?.value)}
      >
        {(!isRequired || index < 0) && <option value={-1}>–</option>}
        {choices.map((choice, at) => (
          <option key={at} value={at}>
            {choice.title}
          </option>
        ))}
      </select>
      <FieldHint id={id} schema={schema} />
    </>
  );
}

/** Any number of several values. */
export function ChoicesField({ id, title, schema, value, choices, onChange }: Props): ReactNode {
  const chosen: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <fieldset {...describedBy(id, schema)}>
      <legend>{title}</legend>
      <FieldHint id={id} schema={schema} />
      {choices.map((choice, at) => (
        <label key={at} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(choice.value)}
            onChange={({ target }) =>
              onChange(
                choices
                  .map((one) => one.value)
                  .filter((one) => (one === choice.value ? target.checked : chosen.includes(one))),
              )
            }
          />
          <span>{choice.title}</span>
        </label>
      ))}
    </fieldset>
  );
}
