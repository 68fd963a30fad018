import type { Json, JsonObject } from '../../common/index.js';

const STEP = /^(?:\.([A-Za-z_$][\w$-]*)|\[(\d{1,6})\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\])/;

/** Reads a path such as `$.amount`, `$.to[0].email` or `$["odd name"]`; undefined when it is none. */
export function parsePath(text: string): readonly (string | number)[] | undefined {
  if (!text.startsWith('$')) return undefined;
  const steps: (string | number)[] = [];
  for (let rest = text.slice(1); rest !== '';) {
    const match = STEP.exec(rest);
    if (!match) return undefined;
    const [whole, name, index, double, single] = match;
    steps.push(index === undefined ? (name ?? unescaped(double ?? single ?? '')) : Number(index));
    rest = rest.slice(whole.length);
  }
  return steps;
}

/** The value at a path; undefined when there is none. Only own members count. */
export function valueAt(root: JsonObject, path: readonly (string | number)[]): Json | undefined {
  let value: Json | undefined = root;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Readonly<Record<string | number, Json>>)[step];
  }
  return value;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}
