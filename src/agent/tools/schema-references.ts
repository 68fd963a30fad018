import { isPlainObject, type Json, type JsonObject } from '../../common/index.js';

const NAMES = ['$id', 'id', '$anchor', '$dynamicAnchor'];

/** The names that parts of a schema give themselves (`$id`, `$anchor`), and where these parts are. */
export class SchemaNames {
  private readonly pointers = new Map<string, string>();

  /** @param depth how deep to look for names */
  constructor(root: JsonObject, depth: number) {
    // Without recursion, so that a deep schema cannot exhaust the stack.
    const waiting: { value: Json; pointer: string; level: number }[] = [{ value: root, pointer: '#', level: 0 }];
    for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
      const { value, pointer, level } = entry;
      if (typeof value !== 'object' || value === null || level > depth) continue;
      if (isPlainObject(value)) this.note(value, pointer);
      for (const [key, child] of Object.entries(value).reverse()) {
        waiting.push({ value: child, pointer: `${pointer}/${escaped(key)}`, level: level + 1 });
      }
    }
  }

  /** A reference as a pointer from the root, `#/a/b`; undefined if it names nothing in this schema. */
  pointerOf(reference: string): string | undefined {
    if (reference === '' || reference === '#') return '#';
    if (reference.startsWith('#/')) return reference;
    const named = this.pointers.get(reference);
    if (named !== undefined) return named;
    const [base = '', fragment = ''] = reference.split('#');
    const place = this.pointers.get(base) ?? this.pointers.get(lastPart(base));
    if (place === undefined) return undefined;
    return fragment === '' || fragment.startsWith('/') ? place + fragment : this.pointers.get(`#${fragment}`);
  }

  /** The first of several parts with one name counts. */
  private note(schema: JsonObject, pointer: string): void {
    for (const key of NAMES) {
      const name = schema[key];
      if (typeof name !== 'string' || name === '') continue;
      const isAnchor = key.endsWith('nchor');
      for (const one of isAnchor ? [`#${name}`] : [name, name.replace(/#$/, ''), lastPart(name)]) {
        if (one !== '' && !this.pointers.has(one)) this.pointers.set(one, pointer);
      }
    }
  }
}

/**
 * The schema that a pointer such as `#/$defs/a` leads to, after all references that it meets; undefined if there is
 * none, or if it leads back to itself.
 */
export function schemaAt(root: JsonObject, pointer: string): JsonObject | boolean | undefined {
  const met = new Set<string>();
  for (let at = pointer; !met.has(at);) {
    met.add(at);
    const value = valueAtPointer(root, at);
    if (typeof value === 'boolean') return value;
    if (!isPlainObject(value)) return undefined;
    const next = value['$ref'];
    if (typeof next !== 'string') return value;
    at = next;
  }
  return undefined;
}

function valueAtPointer(root: JsonObject, pointer: string): Json | undefined {
  if (pointer === '#') return root;
  if (!pointer.startsWith('#/')) return undefined;
  let value: Json | undefined = root;
  for (const step of pointer.slice(2).split('/')) {
    const key = unescaped(step);
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as JsonObject)[key];
  }
  return value;
}

function escaped(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescaped(step: string): string {
  const text = /%[0-9A-Fa-f]{2}/.test(step) ? decoded(step) : step;
  return text.replaceAll('~1', '/').replaceAll('~0', '~');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The file of an address: `item.json` of `https://example.org/item.json`. */
function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}
