import { type ReactNode, useState } from 'react';
import type { Schema } from '../api/types.js';
import { isObject, pretty } from '../lib/format.js';

interface Props {
  readonly id: string;
  readonly schema: Schema;
  readonly value: unknown;
  readonly label: string;
  readonly isRequired?: boolean;
  readonly onChange: (value: unknown) => void;
}

/**
 * A form for a JSON Schema: objects, texts, numbers, choices and yes or no as fields, anything else as JSON. The
 * server checks the value against the schema.
 */
export function SchemaForm({ id, schema, value, label, isRequired = false, onChange }: Props): ReactNode {
  const title = typeof schema['title'] === 'string' ? schema['title'] : label;
  const common = { id, title, schema, value, isRequired, onChange };
  if (Array.isArray(schema['enum'])) return <ChoiceField {...common} choices={schema['enum']} />;
  switch (typeOf(schema)) {
    case 'object':
      return isObject(schema['properties']) ? (
        <ObjectFields {...common} properties={schema['properties']} />
      ) : (
        <JsonField {...common} />
      );
    case 'boolean':
      return (
        <label className="check">
          <input type="checkbox" checked={value === true} onChange={({ target }) => onChange(target.checked)} />
          <span>{title}</span>
        </label>
      );
    case 'string':
    case 'number':
    case 'integer':
      return <TextField {...common} />;
    default:
      return <JsonField {...common} />;
  }
}

/** The value that a form begins with. */
export function defaultOf(schema: Schema): unknown {
  if ('default' in schema) return schema['default'];
  if (Array.isArray(schema['enum'])) return schema['enum'][0] as unknown;
  switch (typeOf(schema)) {
    case 'object': {
      const properties = isObject(schema['properties']) ? schema['properties'] : {};
      const required = requiredOf(schema);
      const entries = Object.entries(properties).filter(([name]) => required.has(name));
      return Object.fromEntries(entries.map(([name, one]) => [name, isObject(one) ? defaultOf(one) : null]));
    }
    case 'string':
      return '';
    case 'boolean':
      return false;
    default:
      return undefined;
  }
}

type FieldProps = Omit<Props, 'label'> & { readonly title: string };

function ObjectFields({
  id,
  title,
  schema,
  value,
  properties,
  onChange,
}: FieldProps & { readonly properties: Record<string, unknown> }): ReactNode {
  const current = isObject(value) ? value : {};
  const required = requiredOf(schema);
  return (
    <fieldset>
      <legend>{title}</legend>
      {Object.entries(properties).map(([name, one]) => (
        <SchemaForm
          key={name}
          id={`${id}-${name}`}
          schema={isObject(one) ? one : {}}
          value={current[name]}
          label={name}
          isRequired={required.has(name)}
          onChange={(next) => {
            const { [name]: _, ...rest } = current;
            onChange(next === undefined ? rest : { ...rest, [name]: next });
          }}
        />
      ))}
    </fieldset>
  );
}

function ChoiceField({ id, title, value, choices, onChange }: FieldProps & { readonly choices: unknown[] }): ReactNode {
  return (
    <>
      <label htmlFor={id}>{title}</label>
      <select id={id} value={choices.indexOf(value)} onChange={({ target }) => onChange(choices[Number(target.value)])}>
        {choices.map((choice, index) => (
          <option key={index} value={index}>
            {typeof choice === 'string' ? choice : JSON.stringify(choice)}
          </option>
        ))}
      </select>
    </>
  );
}

function TextField({ id, title, schema, value, isRequired, onChange }: FieldProps): ReactNode {
  const isNumber = typeOf(schema) !== 'string';
  const hint = typeof schema['description'] === 'string' ? schema['description'] : undefined;
  const read = (text: string): unknown => {
    if (isNumber) return text === '' ? undefined : Number(text);
    return text === '' && isRequired !== true ? undefined : text;
  };
  return (
    <>
      <label htmlFor={id}>{title}</label>
      <input
        id={id}
        type={isNumber ? 'number' : 'text'}
        step={typeOf(schema) === 'integer' ? 1 : 'any'}
        required={isRequired}
        aria-describedby={hint && `${id}-hint`}
        value={typeof value === 'string' || typeof value === 'number' ? value : ''}
        onChange={({ target }) => onChange(read(target.value))}
      />
      {hint && (
        <p id={`${id}-hint`} className="muted">
          {hint}
        </p>
      )}
    </>
  );
}

function JsonField({ id, title, value, onChange }: FieldProps): ReactNode {
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
        aria-invalid={isBroken}
        value={text}
        onChange={({ target }) => change(target.value)}
      />
    </>
  );
}

function requiredOf(schema: Schema): ReadonlySet<unknown> {
  return new Set(Array.isArray(schema['required']) ? schema['required'] : []);
}

/** The type of a schema; of several, the first that is not null. */
function typeOf(schema: Schema): unknown {
  const { type } = schema;
  if (Array.isArray(type)) return type.find((one) => one !== 'null');
  return type ?? (isObject(schema['properties']) ? 'object' : undefined);
}
