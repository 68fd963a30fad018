import { isPlainObject, type Json, type JsonObject } from '../../../common/index.js';
import { repairedSchema, schemaAt } from '../../tools/index.js';
import { objectRoot } from './tool-schema-root.js';
import type { ToolSchemaRules } from './tool-schema-rules.js';
import {
  branchesOf,
  describeKeywords,
  fixedTypes,
  mergedParts,
  nullableType,
  textValues,
  typedPlace,
} from './tool-schema-forms.js';

/** The places of the schema in which references may stay as they are. */
const DEFINITION = /^#(?:\/(?:\$defs|definitions)\/[^/]+)?$/;

/** A schema that is written out becomes no larger than this, in places. */
const MOST_PLACES = 3000;

const known = new WeakMap<JsonObject, Map<ToolSchemaRules, JsonObject>>();

/**
 * The schema of a tool's arguments as a model server takes it (contract model-servers, section 1.3): the root is an
 * object with `properties` and without branches, lists have `items`, required members exist, and the rules of the
 * server hold. It is never stricter than the given schema, whatever that is. Equal calls return the same object, which
 * must not be changed.
 */
export function normalizedSchema(schema: JsonObject, rules: ToolSchemaRules): JsonObject {
  const byRules = known.get(schema) ?? new Map<ToolSchemaRules, JsonObject>();
  known.set(schema, byRules);
  let normalized = byRules.get(rules);
  if (!normalized) byRules.set(rules, (normalized = new SchemaWriter(schema, rules).written()));
  return normalized;
}

class SchemaWriter {
  private readonly root: JsonObject;
  /** Definitions of places that references lead to, by their pointers. */
  private readonly moved = new Map<string, string>();
  private readonly definitions: JsonObject = {};
  private readonly path: string[] = [];
  private places = 0;

  constructor(
    given: JsonObject,
    private readonly rules: ToolSchemaRules,
  ) {
    this.root = repairedSchema(given, Infinity).schema;
  }

  written(): JsonObject {
    const schema = this.object(objectRoot(this.root), new Set());
    const { type: _type, properties = {}, ...others } = schema;
    const moved = Object.keys(this.definitions).length > 0 && { $defs: this.allDefinitions(others['$defs']) };
    return Object.assign({ type: 'object', properties }, others, moved);
  }

  private allDefinitions(own: Json | undefined): JsonObject {
    return Object.assign({}, isPlainObject(own) ? own : {}, this.definitions);
  }

  /** Undefined for a schema that nothing fits. */
  private schema(value: Json | undefined, inherited: ReadonlySet<string>): JsonObject | undefined {
    if (value === false) return undefined;
    return this.object(isPlainObject(value) ? value : {}, inherited);
  }

  /** @param inherited the properties of the schema of which this one is a branch */
  private object(given: JsonObject, inherited: ReadonlySet<string>): JsonObject {
    this.places += 1;
    const { $ref } = given;
    if (typeof $ref === 'string') return this.referring(given, $ref, inherited);
    const { rules } = this;
    const followed: string[] = [];
    const follow = (reference: string): JsonObject | boolean | undefined => {
      if (this.isCut(reference)) return undefined;
      this.places += 1;
      followed.push(reference);
      return schemaAt(this.root, reference);
    };
    const schema = rules.plainBranches ? mergedParts(given, follow) : given;
    this.path.push(...followed);
    const own = new Set([...inherited, ...propertiesOf(schema, this.root)]);
    const result: JsonObject = {};
    for (const [key, value] of Object.entries(schema)) this.keyword(result, key, value, own);
    this.items(schema, result);
    this.path.length -= followed.length;
    return this.inForm(result);
  }

  private inForm(result: JsonObject): JsonObject {
    const { rules } = this;
    if (rules.plainBranches) branchesOf(result);
    if (rules.typesInBranches) fixedTypes(result);
    if (rules.nullable) nullableType(result);
    if (rules.textEnums) textValues(result);
    if (rules.typed) typedPlace(result);
    describeKeywords(result, rules);
    return rules.keywords ? onlyKnown(result, rules.keywords) : result;
  }

  private keyword(result: JsonObject, key: string, value: Json, own: ReadonlySet<string>): void {
    switch (key) {
      case 'properties':
        result[key] = this.map(value);
        return;
      case '$defs':
      case 'definitions':
        if (this.rules.inlineDepth === undefined) result[key] = this.map(value, {});
        return;
      case 'patternProperties':
      case 'dependentSchemas':
        result[key] = this.map(value);
        return;
      case 'allOf':
      case 'anyOf':
      case 'oneOf':
        this.branches(result, key, value, own);
        return;
      case 'required': {
        const names = (value as string[]).filter((name) => own.has(name));
        if (names.length > 0) result[key] = names;
        return;
      }
      case 'additionalProperties':
      case 'unevaluatedProperties':
        result[key] = typeof value === 'boolean' ? value : (this.schema(value, new Set()) ?? false);
        return;
      case 'items':
      case 'prefixItems':
        return;
      case 'not':
      case 'if':
      case 'then':
      case 'else':
      case 'contains':
      case 'propertyNames':
      case 'contentSchema':
      case 'unevaluatedItems':
        if (isPlainObject(value)) result[key] = this.object(value, own);
        return;
      default:
        result[key] = value;
    }
  }

  /** @param impossible stands for a schema that nothing fits; without it, the member is left out */
  private map(value: Json, impossible?: JsonObject): JsonObject {
    const entries = Object.entries(value as JsonObject).flatMap(([name, child]) => {
      const schema = this.schema(child, new Set()) ?? impossible;
      return schema ? [[name, schema] as const] : [];
    });
    return Object.fromEntries(entries);
  }

  private branches(result: JsonObject, key: string, value: Json, own: ReadonlySet<string>): void {
    const branches = (value as Json[]).flatMap((one) => this.schema(one, own) ?? []);
    if (branches.length > 0) result[key] = branches;
  }

  /** Lists have one schema for all items: servers do not take one for each place. */
  private items({ type, items, prefixItems, maxItems }: JsonObject, result: JsonObject): void {
    const byPlace = Array.isArray(prefixItems)
      ? prefixItems.map((one) => this.schema(one, new Set()) ?? this.object({}, new Set()))
      : [];
    const others = items === undefined ? undefined : this.schema(items, new Set());
    const isList = type === 'array' || (Array.isArray(type) && type.includes('array'));
    if (byPlace.length === 0) {
      if (isList || items !== undefined) result['items'] = others ?? this.object({}, new Set());
      return;
    }
    const all = items === undefined || items === false || !others ? byPlace : [...byPlace, others];
    const different = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
    result['items'] = different.length === 1 ? (different[0] ?? {}) : { anyOf: different };
    if (items === false && maxItems === undefined) result['maxItems'] = byPlace.length;
  }

  private referring(given: JsonObject, reference: string, inherited: ReadonlySet<string>): JsonObject {
    const { $ref: _reference, ...beside } = given;
    if (this.rules.inlineDepth !== undefined) return this.inlined(reference, beside, inherited);
    const $ref = this.definition(reference);
    if (this.rules.referencesAlone || Object.keys(beside).length === 0) return { $ref };
    return Object.assign({ $ref }, this.object(beside, inherited));
  }

  /** The reference itself, if it leads to a definition or the root; otherwise what it leads to becomes one. */
  private definition(reference: string): string {
    // The root of the arguments is written anew, without its branches.
    if (DEFINITION.test(reference)) return reference;
    let name = this.moved.get(reference);
    if (name === undefined) {
      name = `part_${this.moved.size + 1}`;
      this.moved.set(reference, name);
      this.definitions[name] = this.schema(schemaAt(this.root, reference), new Set()) ?? {};
    }
    return `#/$defs/${name}`;
  }

  /** True if the reference is not followed any deeper. */
  private isCut(reference: string): boolean {
    const depth = this.path.filter((one) => one === reference).length;
    return depth >= (this.rules.inlineDepth ?? 0) || this.places > MOST_PLACES;
  }

  private inlined(reference: string, beside: JsonObject, inherited: ReadonlySet<string>): JsonObject {
    const target = schemaAt(this.root, reference);
    const schema: JsonObject = isPlainObject(target) ? target : {};
    if (this.isCut(reference)) {
      const { type, description } = schema;
      return this.object(
        Object.assign({}, type !== undefined && { type }, description !== undefined && { description }, beside),
        inherited,
      );
    }
    this.path.push(reference);
    const result = this.object(Object.assign({}, schema, beside), inherited);
    this.path.pop();
    return result;
  }
}

/** The names of all properties that a schema has, also in its branches. */
function propertiesOf(schema: JsonObject, root: JsonObject, seen = new Set<JsonObject>()): string[] {
  if (seen.has(schema)) return [];
  seen.add(schema);
  const { $ref, properties, allOf, anyOf, oneOf } = schema;
  const entries = isPlainObject(properties) ? Object.entries(properties) : [];
  const own = entries.filter(([, one]) => one !== false).map(([name]) => name);
  const branches = [allOf, anyOf, oneOf].flatMap((list) => (Array.isArray(list) ? list : []));
  const parts = [...branches, typeof $ref === 'string' ? schemaAt(root, $ref) : undefined];
  return [...own, ...parts.flatMap((one) => (isPlainObject(one) ? propertiesOf(one, root, seen) : []))];
}

function onlyKnown(schema: JsonObject, keywords: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([key]) => keywords.includes(key)));
}
