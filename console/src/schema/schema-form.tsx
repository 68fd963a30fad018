import type { ReactNode } from 'react';
import type { Schema } from '../api/types.js';
import { isObject } from '../lib/format.js';
import { ChoiceField, ChoicesField } from './choice-field.js';
import type { FieldProps } from './field.js';
import { describedBy, FieldHint } from './field-hint.js';
import { JsonField } from './json-field.js';
import { choicesOf, requiredOf, typeOf } from './schema-values.js';
import { TextField } from './text-field.js';

interface Props {
  readonly id: string;
  readonly schema: Schema;
  readonly value: unknown;
  /** The name of a value whose schema has no title. */
  readonly label: string;
  readonly isRequired?: boolean;
  readonly onChange: (value: unknown) => void;
}

/**
 * A form for a JSON Schema: objects, texts, numbers, dates, choices and yes or no as fields, anything else as JSON. The
 * server checks the value against the schema.
 */
export function SchemaForm({ label, isRequired = false, ...rest }: Props): ReactNode {
  const { schema } = rest;
  const title = typeof schema['title'] === 'string' ? schema['title'] : label;
  const field: FieldProps = { ...rest, title, isRequired };
  const choices = choicesOf(schema);
  if (choices) return <ChoiceField {...field} choices={choices} />;
  switch (typeOf(schema)) {
    case 'object':
      return isObject(schema['properties']) ? <ObjectFields {...field} /> : <JsonField {...field} />;
    case 'array': {
      const items = isObject(schema['items']) ? choicesOf(schema['items']) : undefined;
      return items ? <ChoicesField {...field} choices={items} /> : <JsonField {...field} />;
    }
    case 'boolean':
      return <YesOrNo {...field} />;
    case 'string':
    case 'number':
    case 'integer':
      return <TextField {...field} />;
    default:
      return <JsonField {...field} />;
  }
}

function ObjectFields({ id, title, schema, value, onChange }: FieldProps): ReactNode {
  const current = isObject(value) ? value : {};
  const required = requiredOf(schema);
  return (
    <fieldset>
      <legend>{title}</legend>
      <FieldHint id={id} schema={schema} />
      {Object.entries(isObject(schema['properties']) ? schema['properties'] : {}).map(([name, one]) => (
        <SchemaForm
          key={name}
          id={`${id}-${name}`}
          schema={isObject(one) ? one : {}}
          value={current[name]}
          label={name}
          isRequired={required.has(name)}
          onChange={(next) => {
            const { [name]: _, ...others } = current;
            onChange(next === undefined ? others : { ...others, [name]: next });
          }}
        />
      ))}
    </fieldset>
  );
}

function YesOrNo({ id, title, schema, value, onChange }: FieldProps): ReactNode {
  return (
    <>
      <label className="check">
        <input
          id={id}
          type="checkbox"
          checked={value === true}
          {...describedBy(id, schema)}
          onChange={({ target }) => onChange(target.checked)}
        />
        <span>{title}</span>
      </label>
      <FieldHint id={id} schema={schema} />
    </>
  );
}
