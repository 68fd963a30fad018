import { Injectable } from '@nestjs/common';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { AppError, fingerprint, type JsonObject } from '../common/index.js';
import { BoundedPattern } from './bounded-pattern.js';
import { checkUntrustedSchema, standaloneSchema } from './schema-guard.js';
import { flagsOf } from './schema-pattern.js';

/** Size of the cache of compiled schemas. The least recently used one is evicted. */
const CACHE_SIZE = 500;

/** Most violations named in one sentence. */
const VIOLATIONS_SHOWN = 3;

/** Patterns of tools are written for other programs too: what is no pattern with `u` may be one without. */
const regExp = Object.assign((source: string) => new BoundedPattern(source, flagsOf(source) ?? 'u'), {
  code: 'new BoundedPattern',
});

/** The format of `pattern` in the schema of schemas. */
const REGEX = { type: 'string', validate: (source: string) => flagsOf(source) !== undefined } as const;

const OPTIONS = {
  strict: false,
  allErrors: true,
  logger: false,
  addUsedSchema: false,
  code: { regExp },
} as const;

/** Validates values against JSON Schemas of draft 2020-12 and draft-07, distinguished by `$schema`. */
@Injectable()
export class SchemaValidator {
  private readonly draft7 = addFormats(new Ajv(OPTIONS)).addFormat('regex', REGEX);
  private readonly draft2020 = addFormats(new Ajv2020(OPTIONS)).addFormat('regex', REGEX);
  private readonly compiled = new Map<string, ValidateFunction>();
  private readonly keys = new WeakMap<JsonObject, string>();

  /**
   * Validates arguments. Defaults are hints: they are neither filled in nor validated.
   *
   * @returns undefined if they are valid, otherwise a sentence that names up to three violations
   * @throws AppError INVALID_PARAMETER if the schema itself is invalid
   */
  violation(schema: JsonObject, value: unknown): string | undefined {
    const validate = this.validatorOf(schema);
    return validate(value) ? undefined : describe(validate.errors ?? []);
  }

  /**
   * Checks a schema that a client sent: its size, its depth, that it has no external references and that
   * it compiles. The compiled schema is not cached.
   *
   * @throws AppError INVALID_PARAMETER with a sentence that names the tool
   */
  checkUntrusted(toolName: string, schema: JsonObject): void {
    const problem = checkUntrustedSchema(schema);
    if (problem) throw new AppError('INVALID_PARAMETER', `The parameters of tool "${toolName}" ${problem}`);
    try {
      this.compile(schema);
    } catch (cause) {
      throw new AppError('INVALID_PARAMETER', `The parameters of tool "${toolName}" are not a valid JSON Schema`, {
        cause,
      });
    }
  }

  /** Number of compiled schemas in the cache, for tests and metrics. */
  get cacheSize(): number {
    return this.compiled.size;
  }

  private validatorOf(schema: JsonObject): ValidateFunction {
    const key = this.keyOf(schema);
    let validate = this.compiled.get(key);
    if (validate) this.compiled.delete(key);
    else validate = this.compileTrusted(schema);
    this.compiled.set(key, validate);
    if (this.compiled.size > CACHE_SIZE) this.forgetOldest();
    return validate;
  }

  private keyOf(schema: JsonObject): string {
    let key = this.keys.get(schema);
    if (key === undefined) this.keys.set(schema, (key = fingerprint(schema)));
    return key;
  }

  private forgetOldest(): void {
    const [oldest] = this.compiled.keys();
    if (oldest !== undefined) this.compiled.delete(oldest);
  }

  private compileTrusted(schema: JsonObject): ValidateFunction {
    try {
      return this.compile(schema);
    } catch (cause) {
      throw new AppError('INVALID_PARAMETER', 'The JSON Schema of a tool is not valid', { cause });
    }
  }

  /** Compiles with the draft that `$schema` names; without `$schema` with the newer draft, then the older one. */
  private compile(schema: JsonObject): ValidateFunction {
    const { draft, body } = standaloneSchema(schema);
    if (draft === 'draft-07') return compileOnce(this.draft7, body);
    if (draft === '2020-12') return compileOnce(this.draft2020, body);
    try {
      return compileOnce(this.draft2020, body);
    } catch {
      return compileOnce(this.draft7, body);
    }
  }
}

/** Compiles without leaving the schema in ajv's own cache, which is unbounded. */
function compileOnce(ajv: Ajv, schema: JsonObject): ValidateFunction {
  try {
    return ajv.compile(schema);
  } finally {
    ajv.removeSchema(schema);
  }
}

function describe(errors: readonly ErrorObject[]): string {
  const sentences = [...new Set(errors.map(sentenceOf))];
  const hidden = sentences.length - VIOLATIONS_SHOWN;
  return `${sentences.slice(0, VIOLATIONS_SHOWN).join('; ')}${hidden > 0 ? `; and ${hidden} more` : ''}.`;
}

function sentenceOf(error: ErrorObject): string {
  const params = error.params as Record<string, unknown>;
  const where =
    error.instancePath === '' ? 'the arguments object' : `"${error.instancePath.slice(1).replaceAll('/', '.')}"`;
  const message = error.message ?? 'is not valid';
  if (error.keyword === 'additionalProperties')
    return `${where} must not have "${String(params['additionalProperty'])}"`;
  if (error.keyword === 'enum') return `${where} must be one of ${JSON.stringify(params['allowedValues'])}`;
  return `${where} ${message}`;
}
