/** How large a JSON value may be. */
export interface JsonSizeLimits {
  /** Nesting of arrays and objects; a flat object has depth 1. */
  readonly depth: number;
  /** Members and items at all levels. */
  readonly values: number;
  /** UTF-16 code units of all keys and strings together. */
  readonly characters: number;
}

/** The size of a JSON value. */
export interface JsonSize {
  /** Members and items at all levels. */
  readonly values: number;
  /** UTF-16 code units of all keys and strings together. */
  readonly characters: number;
  /** The limit that is exceeded, as the end of a sentence. What follows in the value is then not counted. */
  readonly problem?: string;
}

/**
 * Measures a JSON value without recursion, and stops at the first limit that is exceeded: to be called before anything
 * that copies, compares or validates the value.
 */
export function measureJson(value: unknown, limits: JsonSizeLimits): JsonSize {
  let values = 0;
  let characters = typeof value === 'string' ? value.length : 0;
  let level: object[] = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > limits.depth) return exceeding(values, characters, limits, depth);
    const below: object[] = [];
    for (const container of level) {
      const isArray = Array.isArray(container);
      const children: unknown[] = isArray ? container : Object.values(container);
      values += children.length;
      if (values > limits.values) return exceeding(values, characters, limits, depth);
      if (!isArray) for (const key of Object.keys(container)) characters += key.length;
      for (const child of children) {
        if (typeof child === 'string') characters += child.length;
        else if (isContainer(child)) below.push(child);
      }
      if (characters > limits.characters) return exceeding(values, characters, limits, depth);
    }
    level = below;
  }
  return characters > limits.characters ? exceeding(values, characters, limits, 0) : { values, characters };
}

function exceeding(values: number, characters: number, limits: JsonSizeLimits, depth: number): JsonSize {
  let problem = `must not have more than ${limits.characters} characters`;
  if (depth > limits.depth) problem = `must not be nested more than ${limits.depth} levels deep`;
  else if (values > limits.values) problem = `must not have more than ${limits.values} values`;
  return { values, characters, problem };
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
