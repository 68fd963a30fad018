import { isObject } from '../lib/format.js';

/** A node of a card (contract runs-api, section 9). What is unknown in it is not shown. */
export type CardNode = Readonly<Record<string, unknown>>;

/** The nodes in a list; anything else is left out. */
export function nodesIn(value: unknown): readonly CardNode[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** A text or a number as text; anything else is empty. */
export function textIn(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}
