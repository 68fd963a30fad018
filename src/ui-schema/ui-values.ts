import { isPlainObject } from '../common/index.js';
import { type CompileBudget, UI_LIMITS } from './compile-budget.js';
import type { UiAction, UiStatus } from './ui-schema.types.js';

/** The statuses that a node may have. */
const STATUSES: readonly string[] = ['info', 'success', 'warning', 'error', 'pending'];
/** Characters of a URL; a longer one is left out. */
const LONGEST_URL = 2048;

/** The value if it is an object, otherwise undefined. */
export function record(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return isPlainObject(value) ? value : undefined;
}

/** The value if it is a list, otherwise an empty list. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text of at most 4000 code points, from a string, number or boolean; undefined if it is empty. */
export function text(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return undefined;
  const whole = value.replace(/\p{Surrogate}/gu, '\uFFFD').trim();
  if (whole === '') return undefined;
  if (whole.length <= UI_LIMITS.text) return whole;
  const points = Array.from(whole);
  return points.length <= UI_LIMITS.text ? whole : `${points.slice(0, UI_LIMITS.text - 1).join('')}…`;
}

/** The value if it is a status, otherwise undefined. */
export function status(value: unknown): UiStatus | undefined {
  return typeof value === 'string' && STATUSES.includes(value) ? (value as UiStatus) : undefined;
}

/** The value if it is one of the words, otherwise undefined. */
export function oneOf<Word extends string>(value: unknown, words: readonly Word[]): Word | undefined {
  return words.find((word) => word === value);
}

/** Normalizes an absolute URL with an allowed scheme; undefined for other values. */
export function address(value: unknown, schemes: readonly string[], budget: CompileBudget): string | undefined {
  const isUrl = typeof value === 'string' && value.length <= LONGEST_URL && URL.canParse(value);
  const url = isUrl ? new URL(value) : undefined;
  const isAllowed = url !== undefined && schemes.includes(url.protocol.slice(0, -1));
  if (url && isAllowed && url.username === '' && url.password === '') return url.href;
  budget.refuse('an address that is not valid or not allowed');
  return undefined;
}

/** The action of a button with the value that its type requires; undefined if it is not valid. */
export function action(value: unknown, schemes: readonly string[], budget: CompileBudget): UiAction | undefined {
  const given = record(value);
  const payload = record(given?.['payload']) ?? {};
  switch (given?.['type']) {
    case 'open_url': {
      const url = address(payload['url'], schemes, budget);
      return url === undefined ? undefined : { type: 'open_url', payload: { url } };
    }
    case 'send_message': {
      const words = text(payload['text']);
      return words === undefined ? undefined : { type: 'send_message', payload: { text: words } };
    }
    case 'tool_approve':
    case 'tool_reject': {
      const id = text(payload['id']);
      return id === undefined ? undefined : { type: given['type'], payload: { id } };
    }
    default:
      budget.refuse('an action of an unknown type');
      return undefined;
  }
}
