import { AppError } from '../../../common/index.js';
import { fieldError } from './field-reader.js';
import { checkJsonLimits, checkJsonText, type JsonLimits } from './json-limits.js';

const BYTE_ORDER_MARK = '\ufeff';
/** The limits of text within a body, whose own limits have counted it as one value. */
const FIELD_LIMITS: JsonLimits = { maxDepth: 64 };

/**
 * Parses JSON text of a client, wherever it comes from: a body, a message of a WebSocket, or a text inside of one.
 * Nothing else parses such text, because the value is used only after `checkJsonLimits`.
 *
 * @param given the text, or its bytes in UTF-8
 * @param invalid the message of the error for anything but JSON
 * @throws AppError INVALID_JSON for anything but JSON; as `checkJsonLimits`
 */
export function parseJsonText(given: Buffer | string, limits: JsonLimits, invalid?: string): unknown {
  const bytes = typeof given === 'string' ? Buffer.from(given) : given;
  // Before they are parsed, because many small values cost far more than their text.
  checkJsonText(bytes, limits);
  const text = typeof given === 'string' ? given : given.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch {
    throw new AppError('INVALID_JSON', invalid);
  }
  checkJsonLimits(value, limits);
  return value;
}

/**
 * Parses JSON text in a field of a request.
 *
 * @param path of the field, for errors
 * @param otherwise what stands for a text that is not JSON; absent: an error
 * @throws AppError INVALID_PARAMETER that names the field
 */
export function parseFieldText(text: string, path: string, otherwise?: unknown): unknown {
  try {
    return parseJsonText(text, FIELD_LIMITS);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const isJson = error.code !== 'INVALID_JSON';
    if (!isJson && otherwise !== undefined) return otherwise;
    throw fieldError(path, isJson ? `is refused: ${error.message}` : 'is not valid JSON', 'INVALID_PARAMETER');
  }
}
