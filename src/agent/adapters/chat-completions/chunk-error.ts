import { isPlainObject } from '../../../common/index.js';

type Fields = Readonly<Record<string, unknown>>;

/** Codes that some servers send with what did not fail. */
const SUCCESS = /^(0+|200|ok|success)$/i;

/**
 * The error that a chunk reports; undefined if it reports none. Servers write it in `error`, in the first choice, in
 * `x_groq`, in `base_resp`, and if the chunk has no choices, in the members that they use instead (contract
 * model-servers, sections 1.4 and 2.1).
 */
export function errorOfChunk(chunk: Fields): unknown {
  const { error, choices, object, base_resp: outcome, x_groq: groq } = chunk;
  if (error && isSet(error)) return typeof error === 'string' ? chunk : error;
  if (object === 'error') return chunk;
  if (outcome && isPlainObject(outcome) && isFailure(outcome['status_code'])) return chunk;
  if (groq && isPlainObject(groq) && isSet(groq['error'])) return groq;
  if (Array.isArray(choices) && choices.length > 0) return errorOfChoice(choices[0]);
  if (choices || chunk['usage']) return undefined;
  const { code, error_code: errorCode, detail, errors } = chunk;
  return [code, errorCode, detail, errors].some(isFailure) ? chunk : undefined;
}

function errorOfChoice(choice: unknown): unknown {
  const error = typeof choice === 'object' && choice !== null ? (choice as Fields)['error'] : undefined;
  return isSet(error) ? error : undefined;
}

/** Gemini sends a list with an error in the place of an answer. Undefined for anything else. */
export function errorOfList(list: unknown): unknown {
  const first: unknown = Array.isArray(list) ? list[0] : undefined;
  return isPlainObject(first) ? errorOfChunk(first) : undefined;
}

/** False for the values with which servers say that there is no error. */
function isSet(value: unknown): boolean {
  if (!value) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

function isFailure(value: unknown): boolean {
  return isSet(value) && !SUCCESS.test(String(value));
}
