import { AppError } from '../../common/index.js';

/** How much structure a JSON value may have. */
export interface JsonLimits {
  /** Nesting of arrays and objects; a flat object has depth 1. */
  readonly maxDepth: number;
  /** Values of all kinds, counted over the whole document; default 500,000. */
  readonly maxValues?: number;
}

const DEFAULT_MAX_VALUES = 500_000;

/**
 * Checks a parsed JSON value without recursion, so before anything that recurses may touch it.
 *
 * @throws AppError INVALID_PARAMETER when it is nested too deeply, has too many values, or holds a key `__proto__`, or
 *   `prototype` in a `constructor`
 */
export function checkJsonLimits(value: unknown, limits: JsonLimits): void {
  const maxValues = limits.maxValues ?? DEFAULT_MAX_VALUES;
  let count = 0;
  let level: object[] = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > limits.maxDepth) {
      throw new AppError('INVALID_PARAMETER', `The JSON is nested more than ${limits.maxDepth} levels deep`);
    }
    const below: object[] = [];
    for (const container of level) {
      const children: unknown[] = Array.isArray(container) ? container : Object.values(container);
      if (poisons(container)) {
        throw new AppError('INVALID_PARAMETER', 'The JSON holds a forbidden key: __proto__ or constructor.prototype');
      }
      count += children.length;
      if (count > maxValues) throw new AppError('INVALID_PARAMETER', `The JSON holds more than ${maxValues} values`);
      for (const child of children) if (isContainer(child)) below.push(child);
    }
    level = below;
  }
}

/** Keys with which a careless copy would change all objects. */
function poisons(container: object): boolean {
  if (Object.hasOwn(container, '__proto__')) return true;
  if (!Object.hasOwn(container, 'constructor')) return false;
  const { constructor } = container as { readonly constructor: unknown };
  return isContainer(constructor) && Object.hasOwn(constructor, 'prototype');
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
