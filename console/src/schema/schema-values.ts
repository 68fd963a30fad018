import type { Schema } from '../api/types.js';
import { isObject } from '../lib/format.js';

/** One of the values that a schema allows. */
export interface Choice {
  readonly value: unknown;
  readonly title: string;
}

/** The values that a schema lists, in `enum` or as constants of `oneOf` or `anyOf`; undefined if it lists none. */
export function choicesOf(schema: Schema): readonly Choice[] | undefined {
  const names: readonly unknown[] = Array.isArray(schema['enumNames']) ? schema['enumNames'] : [];
  const values = schema['enum'];
  if (Array.isArray(values))
    return values.map((value: unknown, index) => ({ value, title: titleOf(names[index], value) }));
  const options = schema['oneOf'] ?? schema['anyOf'];
  if (!Array.isArray(options) || options.length === 0) return undefined;
  const constants = options.filter((option) => isObject(option) && 'const' in option) as readonly Schema[];
  if (constants.length < options.length) return undefined;
  return constants.map((option) => ({ value: option['const'], title: titleOf(option['title'], option['const']) }));
}

/** The type of a schema; of several, the first that is not null. */
export function typeOf(schema: Schema): unknown {
  const { type } = schema;
  if (Array.isArray(type)) return type.find((one) => one !== 'null');
  return type ?? (isObject(schema['properties']) ? 'object' : undefined);
}

/** The names of the properties that an object must have. */
export function requiredOf(schema: Schema): ReadonlySet<unknown> {
  return new Set(Array.isArray(schema['required']) ? schema['required'] : []);
}

/** The value that a form begins with. Optional properties are left out, unless they have a default. */
export function defaultOf(schema: Schema): unknown {
  if ('default' in schema) return schema['default'];
  const choices = choicesOf(schema);
  if (choices) return choices[0]?.value;
  switch (typeOf(schema)) {
    case 'object': {
      const properties = isObject(schema['properties']) ? schema['properties'] : {};
      const required = requiredOf(schema);
      const wanted = Object.entries(properties).filter(
        ([name, one]) => required.has(name) || (isObject(one) && 'default' in one),
      );
      return Object.fromEntries(wanted.map(([name, one]) => [name, isObject(one) ? defaultOf(one) : null]));
    }
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'array':
      return [];
    default:
      return undefined;
  }
}

const INPUT_TYPES: Readonly<Record<string, string>> = { date: 'date', time: 'time', email: 'email', uri: 'url' };

/** The type of the input for a text or a number. */
export function inputTypeOf(schema: Schema): string {
  if (typeOf(schema) !== 'string') return 'number';
  return INPUT_TYPES[String(schema['format'])] ?? 'text';
}

function titleOf(name: unknown, value: unknown): string {
  if (typeof name === 'string') return name;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
