import type { ContentInput } from '../../../../events/index.js';
import { asJson, asObject, type Fields, fieldsOf, objectAt, objectsAt, textAt } from '../json-fields.js';

/** Codes: the task is not there, does not take what was asked of it, the method is unknown, or the server has failed. */
export const TASK_NOT_FOUND = -32001;
export const UNSUPPORTED = -32004;
export const NO_METHOD = -32601;
export const INTERNAL = -32603;
/** What people are told of a task that is not there any more. */
export const TASK_GONE = 'The remote agent no longer has the task';
const REASONS: Readonly<Record<string, number>> = {
  TASK_NOT_FOUND,
  UNSUPPORTED_OPERATION: UNSUPPORTED,
};

/** What an error is about, in both bindings. */
export function kindOfError(error: Fields): { readonly reason: string; readonly code: unknown } {
  const details = [...objectsAt(error, 'data'), ...objectsAt(error, 'details'), objectAt(error, 'data')];
  const reason = details.map((one) => textAt(one, 'reason')).find((text) => text !== undefined) ?? '';
  return { reason, code: REASONS[reason] ?? error['code'] };
}

/** The code of an error answer; undefined if its body names none. */
export function codeIn(body: string): unknown {
  try {
    return kindOfError(objectAt(fieldsOf({ data: body }), 'error')).code;
  } catch {
    return undefined;
  }
}

/** The answer within an envelope of JSON-RPC, or, over HTTP+JSON, without one. */
export function resultIn(fields: Fields): Fields {
  return 'jsonrpc' in fields || 'result' in fields ? objectAt(fields, 'result') : fields;
}

/** Which of the four answers a result is. */
export function kindOf(result: Fields): string {
  const kind = textAt(result, 'kind');
  if (kind !== undefined) return { 'status-update': 'statusUpdate', 'artifact-update': 'artifactUpdate' }[kind] ?? kind;
  for (const name of ['task', 'message', 'statusUpdate', 'artifactUpdate']) if (name in result) return name;
  // `GetTask` answers with the task itself.
  return 'status' in result && 'id' in result ? 'task' : '';
}

/** What the answer is about. */
export function innerOf(result: Fields): Fields {
  const kind = kindOf(result);
  return textAt(result, 'kind') === undefined && kind in result ? objectAt(result, kind) : result;
}

/** `TASK_STATE_INPUT_REQUIRED` of 1.0 and `input-required` of 0.3. */
export function stateOf(state: string | undefined): string {
  const word = (state ?? '')
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-');
  return word === 'cancelled' ? 'canceled' : word;
}

/** The text of a message or an artifact. */
export function textIn(message: Fields): string {
  return objectsAt(message, 'parts')
    .flatMap((part) => textAt(part, 'text') ?? [])
    .join('');
}

/** True for an artifact that its server takes back: another Parley does when a worker was lost. */
export function isDiscarded(update: Fields): boolean {
  return objectAt(update, 'metadata')['discarded'] === true;
}

/** True for a message of thoughts, which servers of Agno stream among those of their answer. */
export function isThought(message: Fields): boolean {
  return textAt(objectAt(message, 'metadata'), 'agno_content_category') === 'reasoning';
}

/** Files and data of a part. */
export function contentOf(part: Fields): ContentInput | undefined {
  if (part['data'] !== undefined && part['data'] !== null) {
    const { data } = part;
    const isObject = typeof data === 'object' && !Array.isArray(data);
    return { type: 'data', data: isObject ? asObject(data as Fields) : { value: asJson(data) } };
  }
  const file = 'file' in part ? objectAt(part, 'file') : part;
  const filename = textAt(file, 'filename') ?? textAt(file, 'name') ?? null;
  const address = textAt(file, 'url') ?? textAt(file, 'uri');
  const bytes = textAt(file, 'raw') ?? textAt(file, 'bytes');
  if (address !== undefined) return { type: 'file', file_url: address, filename };
  if (bytes === undefined) return undefined;
  const type = textAt(file, 'mediaType') ?? textAt(file, 'mimeType') ?? 'application/octet-stream';
  return { type: 'file', file_data: `data:${type};base64,${bytes}`, filename };
}
