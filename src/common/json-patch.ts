import jsonpatch, { type Operation } from 'fast-json-patch';
import type { Json, JsonObject } from './json.js';
import { measureJson } from './json-size.js';

/** How large and how deep a value may become by a patch. */
export interface PatchLimits {
  /** In characters of JSON. */
  readonly largest: number;
  /** Nesting of arrays and objects. */
  readonly deepest: number;
}

/** No patch makes more than this, whoever has written it. */
const LIMITS: PatchLimits = { largest: 16 * 1024 * 1024, deepest: 512 };

/**
 * A copy of a value, changed by a patch (RFC 6902). Patches are not trusted: a `copy` can double a value with each
 * operation, so that what a patch adds is counted before it is added.
 *
 * @throws Error if the patch does not fit the value, or if it makes more than it may
 */
export function patched(value: Json, patch: readonly JsonObject[], { largest, deepest } = LIMITS): Json {
  const text = JSON.stringify(value);
  let document = JSON.parse(text) as Json;
  let added = 0;
  const copied = (part: Json): Json => {
    const copy = JSON.stringify(part);
    added += copy.length;
    if (added > largest) throw new Error('The patch adds too much');
    return JSON.parse(copy) as Json;
  };
  for (const operation of patch) {
    for (const one of simpleOperations(operation, document, copied)) {
      document = jsonpatch.applyOperation(document, one, true).newDocument;
      added += one.path.length;
    }
  }
  const { problem } = measureJson(document, { depth: deepest, values: Infinity, characters: Infinity });
  if (problem !== undefined) throw new Error(`What is patched ${problem}`);
  if (text.length + added > largest && JSON.stringify(document).length > largest)
    throw new Error(`What is patched must not have more than ${largest} characters`);
  return document;
}

/** As `patched`; a patch that does not fit changes nothing. */
export function patchedIfFits<Value extends Json>(value: Value, patch: readonly JsonObject[]): Json {
  try {
    return patched(value, patch);
  } catch {
    return value;
  }
}

/**
 * An operation as those that only add, remove, replace or test: `move` and `copy` of the library copy whole documents,
 * and let a value become a part of itself.
 */
function simpleOperations(operation: JsonObject, document: Json, copied: (part: Json) => Json): Operation[] {
  const { op, path, from, value } = operation;
  if (typeof path !== 'string') throw new Error('An operation of a patch has no path');
  if (op !== 'move' && op !== 'copy') {
    if (value === undefined) return [{ op, path } as Operation];
    return [{ op, path, value: op === 'test' ? value : copied(value) } as Operation];
  }
  if (typeof from !== 'string') throw new Error('An operation of a patch has no source');
  const found = { op: '_get', path: from, value: null as Json } satisfies Operation;
  jsonpatch.applyOperation(document, found, true);
  if (typeof found.value === 'function') throw new Error('The source of an operation does not exist');
  if (op === 'copy') return [{ op: 'add', path, value: copied(found.value) }];
  if (path === from) return [];
  if (path.startsWith(`${from}/`)) throw new Error('A value cannot become a part of itself');
  const put: Operation = { op: 'add', path, value: found.value };
  return from === '' || path === '' ? [put] : [{ op: 'remove', path: from }, put];
}
