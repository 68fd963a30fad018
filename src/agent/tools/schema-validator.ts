import { Injectable } from '@nestjs/common';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { AppError, fingerprint, type JsonObject, type JsonSize, measureJson } from '../../common/index.js';
import { BoundedPattern } from './bounded-pattern.js';
import { boundedWork, within } from './bounded-work.js';
import { checkForeignSchema, checkUntrustedSchema, standaloneSchema, stepsOf } from './schema-guard.js';
import { flagsOf } from './schema-pattern.js';
import { withLinearUniqueItems } from './unique-items.js';
import { violationMessage } from './violation-messages.js';

/** Size of the cache of compiled schemas. The least recently used one is evicted. */
const CACHE_SIZE = 500;

/** Most violations named in one sentence, and most that are looked at: a sentence may be long. */
const VIOLATIONS_SHOWN = 3;
const VIOLATIONS_READ = 100;

/** The largest value that is validated: arguments of a call, or the answer to a question. */
export const VALUE_LIMITS = { depth: 64, values: 10_000, characters: 1024 * 1024 };

/** How long a schema that is not trusted may take to compile, in milliseconds, also on a busy machine. */
const COMPILE_MS = 2000;
/** The same for one that comes with a question: runs of others wait meanwhile. */
const COMPILE_QUESTION_MS = 1000;

/** Up to so many steps, a few milliseconds, work needs no time limit, whose watch costs more than most validations. */
const QUICK_STEPS = 1_000_000;

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
  // Errors carry the value, for messages that show it.
  verbose: true,
  code: { regExp },
} as const;

/** A compiled schema. */
interface Compiled {
  readonly validate: ValidateFunction;
  /** As `stepsOf`. */
  readonly steps: number;
}

/**
 * Validates values against JSON Schemas of draft 2020-12 and draft-07, distinguished by `$schema`. Neither is trusted:
 * values have a limited size, and the whole work of a validation a limited time.
 */
@Injectable()
export class SchemaValidator {
  private draft7 = draft7();
  private draft2020 = draft2020();
  private readonly compiled = new Map<string, Compiled>();
  private readonly keys = new WeakMap<JsonObject, string>();

  /**
   * Validates arguments. Defaults are hints: they are neither filled in nor validated.
   *
   * @returns undefined if they are valid, otherwise a sentence that names up to three violations (with the messages of
   *   an arguments class, if it has some), that the value exceeds `VALUE_LIMITS`, or that the validation takes too long
   * @throws AppError INVALID_PARAMETER if the schema itself is invalid
   */
  violation(schema: JsonObject, value: unknown): string | undefined {
    const size = measureJson(value, VALUE_LIMITS);
    if (size.problem !== undefined) return `${WHOLE} ${size.problem}.`;
    const compiled = this.validatorOf(schema);
    const isValid = validated(compiled, value, size);
    if (isValid === undefined) return `${WHOLE} takes too long to check.`;
    return isValid ? undefined : describe(compiled.validate.errors ?? [], schema);
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
      this.compileWithin(COMPILE_MS, schema);
    } catch (cause) {
      throw new AppError('INVALID_PARAMETER', `The parameters of tool "${toolName}" are not a valid JSON Schema`, {
        cause,
      });
    }
  }

  /** Whether answers can be validated with the schema of another server: not if it is too large or takes too long. */
  canAnswer(schema: JsonObject): boolean {
    const key = this.keyOf(schema);
    if (this.compiled.has(key)) return true;
    if (checkForeignSchema(schema)) return false;
    try {
      this.keep(key, { validate: this.compileWithin(COMPILE_QUESTION_MS, schema), steps: stepsOf(schema) });
      return true;
    } catch {
      return false;
    }
  }

  /** Number of compiled schemas in the cache, for tests and metrics. */
  get cacheSize(): number {
    return this.compiled.size;
  }

  private validatorOf(schema: JsonObject): Compiled {
    const key = this.keyOf(schema);
    let compiled = this.compiled.get(key);
    if (compiled) this.compiled.delete(key);
    else compiled = { validate: this.compileTrusted(schema), steps: stepsOf(schema) };
    this.keep(key, compiled);
    return compiled;
  }

  private keep(key: string, compiled: Compiled): void {
    this.compiled.set(key, compiled);
    if (this.compiled.size > CACHE_SIZE) this.forgetOldest();
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

  /** As `compile`. @throws Error also if it takes longer */
  private compileWithin(milliseconds: number, schema: JsonObject): ValidateFunction {
    const validate = within(milliseconds, () => this.compile(schema));
    if (validate) return validate;
    // What was cut in the middle is not used again.
    this.draft7 = draft7();
    this.draft2020 = draft2020();
    throw new Error('The JSON Schema takes too long to compile');
  }
}

function draft7(): Ajv {
  return withLinearUniqueItems(addFormats(new Ajv(OPTIONS)).addFormat('regex', REGEX));
}

function draft2020(): Ajv {
  return withLinearUniqueItems(addFormats(new Ajv2020(OPTIONS)).addFormat('regex', REGEX));
}

/** Compiles without leaving the schema in ajv's own cache, which is unbounded. */
function compileOnce(ajv: Ajv, schema: JsonObject): ValidateFunction {
  try {
    return ajv.compile(schema);
  } finally {
    ajv.removeSchema(schema);
  }
}

/** Whether a value is valid; undefined if that takes too long, or has no end, to find out. */
function validated({ validate, steps }: Compiled, value: unknown, size: JsonSize): boolean | undefined {
  try {
    if (steps * (1 + size.values + size.characters) <= QUICK_STEPS) return validate(value);
    return boundedWork(() => validate(value));
  } catch (error) {
    // A schema that refers to itself exhausts the stack.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** What the sentences call the value itself. */
const WHOLE = 'the arguments object';

function describe(errors: readonly ErrorObject[], schema: JsonObject): string {
  const sentences = [...new Set(errors.slice(0, VIOLATIONS_READ).map((error) => sentenceOf(error, schema)))];
  const hidden = sentences.length - VIOLATIONS_SHOWN;
  return `${sentences.slice(0, VIOLATIONS_SHOWN).join('; ')}${hidden > 0 ? `; and ${hidden} more` : ''}.`;
}

function sentenceOf(error: ErrorObject, schema: JsonObject): string {
  const message = violationMessage(schema, error.schemaPath, error.data);
  if (message !== undefined) return message;
  const params = error.params as Record<string, unknown>;
  const where = error.instancePath === '' ? WHOLE : `"${error.instancePath.slice(1).replaceAll('/', '.')}"`;
  const problem = error.message ?? 'is not valid';
  if (error.keyword === 'additionalProperties')
    return `${where} must not have "${String(params['additionalProperty'])}"`;
  if (error.keyword === 'enum') return `${where} must be one of ${JSON.stringify(params['allowedValues'])}`;
  return `${where} ${problem}`;
}
