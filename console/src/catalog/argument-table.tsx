import type { ReactNode } from 'react';
import type { Schema } from '../api/types.js';
import { isObject } from '../lib/format.js';
import { requiredOf } from '../schema/schema-values.js';

/** What else a schema says of a value, in the order of the table. */
const RULES = ['format', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'] as const;

/** The arguments of a tool: which it needs, and what they have to be. */
export function ArgumentTable({ schema }: { readonly schema: Schema }): ReactNode {
  const properties = isObject(schema['properties']) ? Object.entries(schema['properties']) : [];
  const required = requiredOf(schema);
  if (properties.length === 0) return <p className="muted">It takes none.</p>;
  return (
    <ul className="arguments">
      {properties.map(([name, one]) => {
        const of = isObject(one) ? one : {};
        return (
          <li key={name}>
            <p className="row">
              <code>{name}</code>
              <span className="muted">{typeText(of)}</span>
              {required.has(name) ? (
                <span className="badge required">required</span>
              ) : (
                <span className="badge">optional</span>
              )}
            </p>
            {typeof of['description'] === 'string' && <p>{of['description']}</p>}
            {rulesOf(of) !== '' && <p className="muted">{rulesOf(of)}</p>}
          </li>
        );
      })}
    </ul>
  );
}

function typeText(schema: Schema): string {
  const { type, enum: values, items, const: only } = schema;
  if (Array.isArray(values)) return values.map((value) => JSON.stringify(value)).join(' | ');
  if (only !== undefined) return JSON.stringify(only);
  if (type === 'array') return `list of ${isObject(items) ? typeText(items) : 'anything'}`;
  if (Array.isArray(type)) return type.join(' or ');
  return typeof type === 'string' ? type : 'anything';
}

function rulesOf(schema: Schema): string {
  const rules = RULES.flatMap((name) =>
    schema[name] === undefined ? [] : [`${name}: ${JSON.stringify(schema[name])}`],
  );
  if (schema['default'] !== undefined) rules.push(`default: ${JSON.stringify(schema['default'])}`);
  return rules.join(', ');
}
