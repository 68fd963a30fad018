import { canonicalJson, isPlainObject, type Json, type JsonObject } from '../../../common/index.js';
import { schemaAt } from '../../tools/index.js';

/** Keywords of the root that become part of the merged one. */
const MERGED = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'enum', 'const', 'if', 'then', 'else'];
const REPLACED = ['type', 'properties', 'required', 'additionalProperties', 'description', ...MERGED];

/** What arguments may have, of a schema with all its branches. */
interface Shape {
  readonly properties: ReadonlyMap<string, Json>;
  readonly required: ReadonlySet<string>;
  readonly additional: Json | undefined;
  /** Sentences about what the merged schema cannot say. */
  readonly notes: readonly string[];
}

const ANYTHING: Shape = { properties: new Map(), required: new Set(), additional: undefined, notes: [] };

/**
 * A schema of arguments whose root is an object with properties and nothing else: its branches are merged. What is
 * required in all alternatives is required, and the description names the alternatives.
 */
export function objectRoot(root: JsonObject): JsonObject {
  const { properties, required, additional, notes } = new Shapes(root).of(root);
  const { description: own } = root;
  const description = [typeof own === 'string' ? own : '', ...notes].filter((text) => text !== '').join(' ');
  const result: JsonObject = { type: 'object', properties: Object.fromEntries(properties) };
  if (required.size > 0) result['required'] = [...required];
  if (additional !== undefined) result['additionalProperties'] = additional;
  if (description !== '') result['description'] = description;
  for (const [key, value] of Object.entries(root)) if (!REPLACED.includes(key)) result[key] = value;
  return result;
}

/** Finds the shape of each schema once, also where references lead in circles. */
class Shapes {
  private readonly known = new Map<JsonObject, Shape>();

  constructor(private readonly root: JsonObject) {}

  of(schema: Json | undefined): Shape {
    if (!isPlainObject(schema)) return ANYTHING;
    const known = this.known.get(schema);
    if (known) return known;
    this.known.set(schema, ANYTHING);
    const shape = this.find(schema);
    this.known.set(schema, shape);
    return shape;
  }

  private find(schema: JsonObject): Shape {
    const { $ref, anyOf, oneOf } = schema;
    const inner = (one: Json | undefined): Shape => this.of(one);
    const parts: Shape[] = [ownShape(schema), ...listOf(schema['allOf']).map(inner)];
    if (typeof $ref === 'string') parts.push(inner(schemaAt(this.root, $ref)));
    for (const branches of [anyOf, oneOf]) if (Array.isArray(branches)) parts.push(alternatives(branches.map(inner)));
    const conditional = [schema['then'], schema['else']].filter((one) => one !== undefined);
    if (conditional.length > 0) {
      parts.push(Object.assign({}, alternatives([ANYTHING, ...conditional.map(inner)]), { notes: [] }));
    }
    return parts.reduce(both);
  }
}

function ownShape({ properties, required, additionalProperties }: JsonObject): Shape {
  return {
    properties: new Map(isPlainObject(properties) ? Object.entries(properties) : []),
    required: new Set(listOf(required).filter((name) => typeof name === 'string')),
    additional: additionalProperties,
    notes: [],
  };
}

/** What holds if both hold. */
function both(a: Shape, b: Shape): Shape {
  const isClosed = [...b.properties.keys()].every((name) => a.properties.has(name));
  const isOpened = [...a.properties.keys()].every((name) => b.properties.has(name));
  return {
    properties: joined(a.properties, b.properties, (one, other) => ({ allOf: [one, other] })),
    required: new Set([...a.required, ...b.required]),
    additional: isClosed ? (a.additional ?? b.additional) : isOpened ? b.additional : undefined,
    notes: [...a.notes, ...b.notes],
  };
}

/** What holds whichever of several holds. */
function alternatives(shapes: readonly Shape[]): Shape {
  const [first = ANYTHING] = shapes;
  const properties = shapes.map((one) => one.properties).reduce((a, b) => joined(a, b, eitherValue));
  const required = [...first.required].filter((name) => shapes.every((one) => one.required.has(name)));
  const isClosed = shapes.every(({ additional }) => additional === false);
  const told = shapes.map(sentencePart).filter((part) => part !== '');
  const notes = told.length > 1 ? [`Alternatives: ${told.join('; or ')}.`] : [];
  return { properties, required: new Set(required), additional: isClosed ? false : undefined, notes };
}

function joined(
  a: ReadonlyMap<string, Json>,
  b: ReadonlyMap<string, Json>,
  join: (one: Json, other: Json) => Json,
): ReadonlyMap<string, Json> {
  const all = new Map(a);
  for (const [name, schema] of b) {
    const known = all.get(name);
    all.set(name, known === undefined || isSame(known, schema) ? schema : join(known, schema));
  }
  return all;
}

/** The properties of an alternative, with the values by which it is recognised. */
function sentencePart({ properties, required }: Shape): string {
  const names = required.size > 0 ? [...required] : [...properties.keys()];
  return names
    .map((name) => {
      const values = valuesOf(properties.get(name));
      return values === undefined ? name : `${name} ${values.map((value) => JSON.stringify(value)).join(' or ')}`;
    })
    .join(', ');
}

/** Fixed values become one list of values. */
function eitherValue(one: Json, other: Json): Json {
  const values = [valuesOf(one), valuesOf(other)];
  if (values[0] && values[1])
    return Object.assign({}, withoutValues(one), { enum: [...new Set(values.flat() as Json[])] });
  const branches =
    isPlainObject(one) && Array.isArray(one['anyOf']) && Object.keys(one).length === 1 ? one['anyOf'] : [one];
  return branches.some((branch) => isSame(branch, other)) ? one : { anyOf: [...branches, other] };
}

function valuesOf(schema: Json | undefined): readonly Json[] | undefined {
  if (!isPlainObject(schema)) return undefined;
  const { const: value, enum: values } = schema;
  return value === undefined ? (Array.isArray(values) ? values : undefined) : [value];
}

function withoutValues(schema: Json): JsonObject {
  return Object.fromEntries(Object.entries(schema as JsonObject).filter(([key]) => key !== 'const' && key !== 'enum'));
}

function isSame(a: Json, b: Json): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}
