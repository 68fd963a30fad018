/**
 * What a model server asks of the schemas of tools besides the rules that hold for all (contract model-servers, section
 * 1.3). Plain data, which profiles name. What is absent is not asked.
 */
export interface ToolSchemaRules {
  /** References are written out; one that contains itself is cut at this depth. */
  readonly inlineDepth?: number;
  /** Nothing stands next to `$ref`. */
  readonly referencesAlone?: boolean;
  /** Where there are branches, `type` stands in them and not next to them. */
  readonly typesInBranches?: boolean;
  /** `anyOf` is the only kind of branches, and `enum` the only list of values. */
  readonly plainBranches?: boolean;
  /** One type at each place; `nullable` says that null is allowed too. */
  readonly nullable?: boolean;
  /** The values of `enum` are texts; the description names others. */
  readonly textEnums?: boolean;
  /** Each place has a type; where anything is allowed, it is text. */
  readonly typed?: boolean;
  /** The values of `format` that the server takes; the description names others. */
  readonly formats?: readonly string[];
  /** Keywords that are moved into the description. */
  readonly described?: readonly string[];
  /** The keywords that the server takes; others are left out. */
  readonly keywords?: readonly string[];
}

const NUMBER_LIMITS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const SIZE_LIMITS = ['minLength', 'maxLength', 'minItems', 'maxItems', 'uniqueItems', 'minProperties', 'maxProperties'];

/** For servers that take every schema which OpenAI takes. */
export const COMMON_SCHEMA_RULES: ToolSchemaRules = {};

/** For Kimi. */
export const KIMI_SCHEMA_RULES: ToolSchemaRules = { referencesAlone: true, typesInBranches: true };

/** For Gemini, whose schemas are those of OpenAPI. */
export const GEMINI_SCHEMA_RULES: ToolSchemaRules = {
  inlineDepth: 3,
  plainBranches: true,
  nullable: true,
  textEnums: true,
  typed: true,
  formats: ['enum', 'date-time', 'int32', 'int64', 'float', 'double'],
  described: ['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'uniqueItems'],
  keywords: [
    ...['type', 'nullable', 'title', 'description', 'format', 'enum', 'anyOf'],
    ...['properties', 'required', 'minProperties', 'maxProperties', 'items', 'minItems', 'maxItems'],
    ...['minLength', 'maxLength', 'pattern', 'minimum', 'maximum'],
  ],
};

/** For Cerebras and other servers that generate by a strict grammar: limits are only told. */
export const STRICT_SCHEMA_RULES: ToolSchemaRules = {
  described: ['pattern', 'format', ...NUMBER_LIMITS, ...SIZE_LIMITS],
};

/** For llama.cpp, whose grammars know no patterns that are not anchored, and few formats. */
export const LLAMA_CPP_SCHEMA_RULES: ToolSchemaRules = {
  described: ['pattern'],
  formats: ['date', 'time', 'date-time', 'uuid'],
};
