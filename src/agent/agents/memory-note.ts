import type { JsonObject } from '../../common/index.js';

const KEY = 'memory';

/** The memory note in a session's state, or the empty text. */
export function memoryNote(state: JsonObject): string {
  const note = state[KEY];
  return typeof note === 'string' ? note.trim() : '';
}

/** The state with another memory note. */
export function withMemoryNote(state: JsonObject, note: string): JsonObject {
  return { ...state, [KEY]: note };
}
