import { AppError, isPlainObject, type JsonObject } from '../../common/index.js';
import type { ToolDeclaration } from '../../tools/index.js';
import { type FieldReader, fieldError, fieldReaderAt, kindOf } from '../http/field-reader.js';
import { checkJsonLimits } from '../http/json-limits.js';

const NAME = /^[A-Za-z0-9_.-]{1,128}$/;
/** Nesting of a schema that comes as text and so passed the body's check as one string. */
const MAX_SCHEMA_DEPTH = 64;

/**
 * Decodes the client's tools (contract ag-kit, section 1.2): `parameters` is a JSON Schema as text, or
 * the schema itself. The last declaration of a name counts.
 *
 * @throws AppError naming the path of the first wrong field
 */
export function decodeTools(items: readonly unknown[]): readonly ToolDeclaration[] {
  const tools = new Map<string, ToolDeclaration>();
  for (const [index, item] of items.entries()) {
    const fields = fieldReaderAt(item, `tools[${index}]`);
    const name = fields.string('name');
    if (name === undefined) throw fieldError(fields.at('name'), 'is required', 'MISSING_PARAMETER');
    if (!NAME.test(name)) {
      const rule = 'must have 1 to 128 characters of A-Z, a-z, 0-9, _, . and -';
      throw fieldError(fields.at('name'), rule, 'INVALID_PARAMETER');
    }
    tools.set(name, { name, description: fields.string('description') ?? '', parameters: schemaOf(fields) });
  }
  return [...tools.values()];
}

function schemaOf(fields: FieldReader): JsonObject {
  const value = fields.source['parameters'] ?? { type: 'object', properties: {} };
  const path = fields.at('parameters');
  const schema = typeof value === 'string' ? parsed(value, path) : value;
  if (isPlainObject(schema)) return schema as JsonObject;
  throw fieldError(path, `must be a JSON Schema object or its JSON text, not ${kindOf(schema)}`);
}

function parsed(text: string, path: string): unknown {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch {
    throw fieldError(path, 'is not valid JSON', 'INVALID_PARAMETER');
  }
  try {
    checkJsonLimits(schema, { maxDepth: MAX_SCHEMA_DEPTH });
  } catch (error) {
    const reason = error instanceof AppError ? error.message : 'too large';
    throw fieldError(path, `is refused: ${reason}`, 'INVALID_PARAMETER');
  }
  return schema;
}
