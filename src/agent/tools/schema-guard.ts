import { isPlainObject, type Json, type JsonObject } from '../../common/index.js';

/** The longest JSON text of a schema that a client may send, in characters. */
export const UNTRUSTED_SCHEMA_LIMIT = 64 * 1024;

/** The deepest nesting of a schema that a client may send. */
export const UNTRUSTED_SCHEMA_DEPTH = 32;

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef'];
const IDENTIFIERS = ['$id', '$schema', 'id'];
const VALUES = ['enum', 'const', 'default', 'examples'];

/** Why a foreign schema is refused, as the end of a sentence in the plural; undefined if it may be compiled. */
export function checkForeignSchema(schema: JsonObject): string | undefined {
  const problem = structureProblem(schema);
  if (problem) return problem;
  if (JSON.stringify(schema).length <= UNTRUSTED_SCHEMA_LIMIT) return undefined;
  return `exceed the limit of ${UNTRUSTED_SCHEMA_LIMIT} characters`;
}

/** As `checkForeignSchema`, of the parameters of a tool. */
export function checkUntrustedSchema(schema: JsonObject): string | undefined {
  const problem = checkForeignSchema(schema);
  if (problem) return problem;
  const type = schema['type'];
  return type === undefined || type === 'object' ? undefined : 'must describe an object';
}

/** Walks without recursion, so that a deep schema cannot exhaust the stack. */
function structureProblem(schema: JsonObject): string | undefined {
  const waiting: { value: Json; depth: number }[] = [{ value: schema, depth: 1 }];
  for (let entry = waiting.pop(); entry; entry = waiting.pop()) {
    const { value, depth } = entry;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > UNTRUSTED_SCHEMA_DEPTH) return `are nested deeper than ${UNTRUSTED_SCHEMA_DEPTH} levels`;
    for (const [key, child] of Object.entries(value)) {
      if (REFERENCES.includes(key) && typeof child === 'string' && !child.startsWith('#')) {
        return 'must not refer to another schema';
      }
      waiting.push({ value: child, depth: depth + 1 });
    }
  }
  return undefined;
}

/** Keywords whose work may grow faster than the product of the sizes of schema and value. */
const UNBOUNDED = new Set([...REFERENCES, 'pattern', 'patternProperties', 'format']);
/** Formats whose work grows like the text. */
const QUICK_FORMATS: ReadonlySet<unknown> = new Set(['date', 'time', 'date-time', 'uuid']);

/**
 * How many steps a validation takes for each value and character at most: as many as the schema has values, because
 * each part of a schema is applied to each part of a value once. Infinity if it may take more, and also if a property
 * has the name of a keyword that allows more.
 */
export function stepsOf(schema: JsonObject): number {
  const waiting: Json[] = [schema];
  let steps = 0;
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    steps += 1;
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, child] of Object.entries(value)) {
      if (UNBOUNDED.has(key) && !(key === 'format' && QUICK_FORMATS.has(child))) return Infinity;
      waiting.push(child);
    }
  }
  return steps;
}

/**
 * Prepares a schema for one compilation: its draft, and a copy without identifiers that could clash with another
 * schema's.
 */
export function standaloneSchema(schema: JsonObject): { draft: 'draft-07' | '2020-12' | undefined; body: JsonObject } {
  return { draft: draftOf(schema['$schema']), body: withoutIdentifiers(schema) as JsonObject };
}

function draftOf(dialect: Json | undefined): 'draft-07' | '2020-12' | undefined {
  if (typeof dialect !== 'string') return undefined;
  if (/draft-0[4-7]/.test(dialect)) return 'draft-07';
  if (/draft\/20(19-09|20-12)/.test(dialect)) return '2020-12';
  throw new Error(`Unknown JSON Schema dialect ${dialect}`);
}

function withoutIdentifiers(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutIdentifiers);
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([key, child]) => !(IDENTIFIERS.includes(key) && typeof child === 'string'))
    .map(([key, child]) => [key, VALUES.includes(key) ? child : withoutIdentifiers(child)] as const);
  return Object.fromEntries(entries);
}
