import {
  type ExactJson,
  type ExactObject,
  hasBigint,
  isPlainObject,
  parseExactJson,
  type Json,
  type JsonObject,
} from '../../common/index.js';
import { schemaAt } from './schema-references.js';
import { VALUE_LIMITS } from './schema-validator.js';
import type { ServerTool } from './tool.js';

/** The arguments of a call, or why they cannot be used, as a sentence for the model. */
export type ReadArguments = { readonly args: ExactObject } | { readonly problem: string };

type FittedTool = Pick<ServerTool, 'origin' | 'parameters'>;

/** What models write for a tool without parameters. */
const NOTHING: ReadonlySet<string> = new Set(['', 'null', '""', '"null"', '"{}"']);

/** The longest text of arguments that is parsed, in characters: a value of the permitted size, with escapes. */
const LONGEST_ARGUMENTS = 2 * VALUE_LIMITS.characters;

/** The arguments of a call as JSON text: the model's own, or `{}` where it wrote nothing. */
export function argumentsText(text: string): string {
  return text.length <= 64 && NOTHING.has(text.trim()) ? '{}' : text;
}

/**
 * The one reading of a call's arguments (contract model-servers, section 0), for the approval, the policy
 * and the tool: integers are exact, nothing is filled in, and members that are there twice are refused.
 */
export function readArguments(text: string): ReadArguments {
  if (text.length > LONGEST_ARGUMENTS) {
    return { problem: `The arguments must not have more than ${LONGEST_ARGUMENTS} characters.` };
  }
  try {
    const value = parseExactJson(argumentsText(text));
    if (isPlainObject(value)) return { args: value };
  } catch (error) {
    const why = error instanceof Error ? ` (${error.message})` : '';
    return { problem: `The arguments are not valid JSON${why}. Call the tool again with a JSON object.` };
  }
  return { problem: 'The arguments must be a JSON object. Call the tool again with one.' };
}

/**
 * Arguments for a tool of this server: an integer beyond 2^53 is its text where the schema takes text, and a bigint
 * where it takes integers. Elsewhere the tool would get another number, so that the call is refused. An MCP server gets
 * the text of the model.
 */
export function fittedArguments(args: ExactObject, { origin, parameters }: FittedTool): ReadArguments {
  return origin.kind === 'local' && hasBigint(args) ? fittedIntegers(args, parameters) : { args };
}

function fittedIntegers(args: ExactObject, schema: JsonObject): ReadArguments {
  const problems: string[] = [];
  const fit = (value: ExactJson, schemas: readonly JsonObject[], path: string): ExactJson => {
    if (typeof value === 'bigint') return fitted(value, schemas) ?? refuse(value, path);
    if (Array.isArray(value))
      return value.map((item, at) => fit(item, childSchemas(schema, schemas, at), `${path}.${at}`));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(
      ([key, child]) => [key, fit(child, childSchemas(schema, schemas, key), `${path}.${key}`)] as const,
    );
    return Object.fromEntries(members);
  };
  const refuse = (value: bigint, path: string): null => {
    problems.push(
      `"${path.slice(1)}" is ${value}, an integer beyond 2^53, which the tool cannot take exactly; if it takes text there, write the integer in quotes`,
    );
    return null;
  };
  const result = fit(args, alternatives(schema, schema), '') as ExactObject;
  const [problem] = problems;
  return problem === undefined ? { args: result } : { problem: `The tool was not called: ${problem}.` };
}

function fitted(value: bigint, schemas: readonly JsonObject[]): ExactJson | undefined {
  const types = schemas.flatMap(({ type }) => type ?? []);
  if (types.includes('string')) return value.toString();
  return types.includes('integer') ? value : undefined;
}

/** The schemas that may describe a member, or an item by its place. */
function childSchemas(root: JsonObject, schemas: readonly JsonObject[], step: string | number): JsonObject[] {
  return schemas.flatMap((schema) => alternatives(root, childSchema(schema, step)));
}

function childSchema(schema: JsonObject, step: string | number): Json | undefined {
  const { properties, additionalProperties, prefixItems, items } = schema;
  if (typeof step === 'string') {
    return isPlainObject(properties) && Object.hasOwn(properties, step) ? properties[step] : additionalProperties;
  }
  const byPlace = Array.isArray(items) ? items : prefixItems;
  const own = Array.isArray(byPlace) ? byPlace[step] : undefined;
  return own ?? (Array.isArray(items) ? schema['additionalItems'] : items);
}

/** A schema, what it refers to and its branches. */
function alternatives(root: JsonObject, given: Json | undefined, depth = 0): JsonObject[] {
  if (!isPlainObject(given) || depth > 16) return [];
  const schema = given;
  const { $ref, allOf, anyOf, oneOf } = schema;
  const referred = typeof $ref === 'string' ? schemaAt(root, $ref) : undefined;
  const branches = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  return [schema, ...[referred, ...branches].flatMap((one) => alternatives(root, one, depth + 1))];
}

/**
 * Edited arguments with the model's integers beyond 2^53 where the person left them: most clients can only give back
 * the nearest number, or the digits that they were shown.
 *
 * @param given the arguments of the model
 */
export function restoredIntegers(edited: ExactJson, given: ExactJson | undefined): ExactJson {
  if (typeof given === 'bigint') return edited === Number(given) || edited === given.toString() ? given : edited;
  if (Array.isArray(edited)) {
    return Array.isArray(given) ? edited.map((item, at) => restoredIntegers(item, given[at])) : edited;
  }
  if (!isPlainObject(edited) || !isPlainObject(given)) return edited;
  const members = Object.entries<ExactJson>(edited).map(
    ([key, child]) => [key, Object.hasOwn(given, key) ? restoredIntegers(child, given[key]) : child] as const,
  );
  return Object.fromEntries(members);
}

/** A number beyond 2^53 that need not be the one that was meant; undefined if there is none. */
export function inexactInteger(value: ExactJson): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value) ? value : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const child of Object.values(value)) {
    const found = inexactInteger(child);
    if (found !== undefined) return found;
  }
  return undefined;
}
