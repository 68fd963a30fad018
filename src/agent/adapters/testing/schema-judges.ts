import { isPlainObject } from '../../../common/index.js';

/** A family of model servers with rules of its own for schemas. */
export type SchemaJudge = 'common' | 'kimi' | 'gemini' | 'strict' | 'llamaCpp';

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
const SCHEMA_MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'];
const SCHEMA_LISTS = ['anyOf', 'oneOf', 'allOf'];
const SCHEMAS = ['items', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'];

type Rule = (schema: Record<string, unknown>) => readonly string[];

/** What a family refuses at any place, written from its error messages. */
const RULES: Readonly<Record<SchemaJudge, Rule>> = {
  common: () => [],
  kimi: (schema) => [
    ...('$ref' in schema && Object.keys(schema).length > 1 ? ['members beside $ref'] : []),
    ...('anyOf' in schema && 'type' in schema ? ['type beside anyOf'] : []),
  ],
  gemini: (schema) => [
    ...['$ref', '$defs', 'definitions', 'const', 'oneOf', 'allOf', 'not', 'additionalProperties'].filter(
      (key) => key in schema,
    ),
    ...(Array.isArray(schema['type']) ? ['a list of types'] : []),
    ...(Array.isArray(schema['enum']) && schema['enum'].some((one) => typeof one !== 'string')
      ? ['enum of no strings']
      : []),
    ...('enum' in schema && schema['type'] !== 'string' ? ['enum of another type'] : []),
    ...('anyOf' in schema || 'type' in schema ? [] : ['no type']),
  ],
  strict: (schema) => ['pattern', 'format', 'minItems', 'minLength', 'minimum'].filter((key) => key in schema),
  llamaCpp: (schema) => ['pattern'].filter((key) => key in schema),
};

/** Why a family of model servers refuses a tool with this schema; empty if it does not. */
export function schemaProblems(judge: SchemaJudge, root: Record<string, unknown>): readonly string[] {
  const problems: string[] = [];
  if (root['type'] !== 'object') problems.push('root: type');
  if (!isPlainObject(root['properties'])) problems.push('root: properties');
  for (const key of ['oneOf', 'anyOf', 'allOf', 'enum', 'not', '$ref']) if (key in root) problems.push(`root: ${key}`);
  visit(root, '#', (schema, at) => {
    for (const problem of [...everywhere(schema, root), ...RULES[judge](schema)]) problems.push(`${at}: ${problem}`);
  });
  return problems;
}

function everywhere(schema: Record<string, unknown>, root: Record<string, unknown>): readonly string[] {
  const { type, items, $ref } = schema;
  const types = [type].flat().filter((one) => one !== undefined);
  return [
    ...(types.every((one) => TYPES.includes(one as string)) ? [] : ['unknown type']),
    ...(types.includes('array') && !isPlainObject(items) ? ['no items'] : []),
    ...('required' in schema && !Array.isArray(schema['required']) ? ['required is no list'] : []),
    ...['$schema', '$id', 'prefixItems'].filter((key) => key in schema),
    ...(typeof $ref === 'string' && !leads(root, $ref) ? [`dangling ${$ref}`] : []),
  ];
}

function leads(root: unknown, pointer: string): boolean {
  const steps = pointer === '#' ? [] : pointer.slice(2).split('/');
  return steps.reduce<unknown>((value, step) => (isPlainObject(value) ? value[step] : undefined), root) !== undefined;
}

function visit(value: unknown, at: string, see: (schema: Record<string, unknown>, at: string) => void): void {
  if (!isPlainObject(value)) {
    see({ type: `not a schema: ${JSON.stringify(value)}` }, at);
    return;
  }
  see(value, at);
  const required = value['required'];
  const { properties } = value;
  if (at === '#' && Array.isArray(required) && isPlainObject(properties)) {
    for (const name of required)
      if (!Object.hasOwn(properties, name as string)) see({ type: `ghost ${String(name)}` }, at);
  }
  for (const key of SCHEMA_MAPS) {
    for (const [name, child] of Object.entries(value[key] ?? {})) visit(child, `${at}/${key}/${name}`, see);
  }
  for (const key of SCHEMA_LISTS) {
    for (const [place, child] of ((value[key] ?? []) as unknown[]).entries())
      visit(child, `${at}/${key}/${place}`, see);
  }
  for (const key of SCHEMAS) if (key in value) visit(value[key], `${at}/${key}`, see);
}
