import { isPlainObject, type JsonObject } from '../../common/index.js';
import type { ToolDeclaration } from '../../tools/index.js';
import { parseFieldText } from '../http/json-text.js';
import { type FieldReader, fieldError, fieldReaderAt, kindOf } from '../http/field-reader.js';

/** The names that a function may have. */
const NAME = /^[A-Za-z0-9_.-]{1,128}$/;

/**
 * Decodes `tools`: each `{type: "function", function: {name, description, parameters}}` or flat, the
 * parameters a JSON Schema object or its JSON text. Any other object is accepted and passed over, as
 * the original does (contract agent-api, section a.2): it names nothing that a client could run.
 *
 * @throws AppError naming the path of the first wrong field, or the name that appears twice
 */
export function decodeTools(items: readonly unknown[]): readonly ToolDeclaration[] {
  const names = new Set<string>();
  return items.flatMap((item, index) => {
    const tool = decodeTool(fieldReaderAt(item, `tools[${index}]`));
    if (!tool) return [];
    if (names.has(tool.name)) throw fieldError(`tools[${index}]`, `repeats the name ${tool.name}`, 'INVALID_PARAMETER');
    names.add(tool.name);
    return [tool];
  });
}

/** Undefined if it is not a function. */
function decodeTool(outer: FieldReader): ToolDeclaration | undefined {
  const type = outer.string('type');
  const nested = outer.object('function');
  const isFunction = nested !== undefined || type === 'function' || (type === undefined && 'name' in outer.source);
  if (!isFunction) return undefined;
  const fields = nested ? fieldReaderAt(nested, outer.at('function')) : outer;
  const name = fields.string('name');
  if (name === undefined) throw fieldError(fields.at('name'), 'is required', 'MISSING_PARAMETER');
  if (!NAME.test(name)) {
    throw fieldError(
      fields.at('name'),
      'must have 1 to 128 characters of A-Z, a-z, 0-9, _, . and -',
      'INVALID_PARAMETER',
    );
  }
  return { name, description: fields.string('description') ?? '', parameters: parametersOf(fields) };
}

/**
 *
 * The JSON Schema of the arguments; a function without one takes none.
 *
 * @throws AppError PARAMETER_VALIDATION for anything but an object or its JSON text
 */
function parametersOf(fields: FieldReader): JsonObject {
  const value = fields.source['parameters'] ?? { type: 'object', properties: {} };
  const path = fields.at('parameters');
  const schema: unknown = typeof value === 'string' ? parseFieldText(value, path) : value;
  if (!isPlainObject(schema))
    throw fieldError(path, `must be a JSON Schema object or its JSON text, not ${kindOf(schema)}`);
  return schema as JsonObject;
}
