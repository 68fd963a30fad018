import { isPlainObject, type Json, type JsonObject } from '../../../common/index.js';
import { normalizedSchema } from '../upstream/tool-schema.js';
import { COMMON_SCHEMA_RULES, GEMINI_SCHEMA_RULES, type ToolSchemaRules } from '../upstream/tool-schema-rules.js';
import type { WireRules } from '../chat-completions/profiles/wire-rules.js';

/** What Google's package takes over from a schema; it drops the rest without a word, and throws for other values. */
const PACKAGE_KEYWORDS = ['type', 'description', 'format', 'enum', 'anyOf', 'properties', 'required', 'items'];
const GEMINI_PACKAGE_RULES: ToolSchemaRules = {
  ...GEMINI_SCHEMA_RULES,
  described: [
    ...(GEMINI_SCHEMA_RULES.described ?? []),
    ...['pattern', 'minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'],
    ...['minProperties', 'maxProperties'],
  ],
  keywords: [...PACKAGE_KEYWORDS, 'nullable'],
};

const forPackage = new WeakMap<JsonObject, JsonObject>();

/** The schema of a tool's arguments as the package of a provider takes it (contract model-servers, section 1.3). */
export function argumentsSchema(schema: JsonObject, { toolSchema }: Pick<WireRules, 'toolSchema'>): JsonObject {
  if (toolSchema !== 'gemini') return normalizedSchema(schema, COMMON_SCHEMA_RULES);
  const normalized = normalizedSchema(schema, GEMINI_PACKAGE_RULES);
  let written = forPackage.get(normalized);
  if (!written) forPackage.set(normalized, (written = withNullTypes(normalized) as JsonObject));
  return written;
}

/** The schema of an answer, whose root may be anything. */
export function answerSchema(schema: JsonObject, rules: Pick<WireRules, 'toolSchema'>): JsonObject {
  if (rules.toolSchema !== 'gemini') return schema;
  const { $defs, definitions, ...root } = schema;
  if (isObjectRoot(root)) return argumentsSchema(schema, rules);
  const wrapped: JsonObject = {
    type: 'object',
    properties: { answer: root },
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  };
  const { properties } = argumentsSchema(wrapped, rules);
  return (isPlainObject(properties) ? (properties['answer'] as JsonObject | undefined) : undefined) ?? root;
}

function isObjectRoot({ type, properties, anyOf, oneOf, allOf, $ref }: JsonObject): boolean {
  if (type === 'object' || properties !== undefined || $ref !== undefined || allOf !== undefined) return true;
  return type === undefined && anyOf === undefined && oneOf === undefined;
}

/** `nullable` as the package reads it: `null` among the types, or a branch of its own. */
function withNullTypes(value: Json): Json {
  if (Array.isArray(value)) return value.map(withNullTypes);
  if (!isPlainObject(value)) return value;
  const { nullable, properties, items, anyOf, ...own } = value;
  const schema: JsonObject = { ...own };
  if (isPlainObject(properties)) {
    schema['properties'] = Object.fromEntries(
      Object.entries(properties).map(([name, one]) => [name, withNullTypes(one)] as const),
    );
  }
  if (items !== undefined) schema['items'] = withNullTypes(items);
  if (Array.isArray(anyOf)) schema['anyOf'] = anyOf.map(withNullTypes);
  if (nullable !== true) return schema;
  const { type } = schema;
  if (Array.isArray(schema['anyOf'])) schema['anyOf'] = [...schema['anyOf'], { type: 'null' }];
  else if (typeof type === 'string') schema['type'] = [type, 'null'];
  return schema;
}
