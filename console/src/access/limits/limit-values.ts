import { isObject } from '../../lib/format.js';

/** Limits of the server: numbers, and rates that have two, by what they limit. */
export type LimitTree = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** One number of the limits. */
export interface LimitValue {
  /** Such as `['user', 'requests', 'perMinute']`. */
  readonly path: readonly string[];
  readonly value: number;
}

/** The numbers of a tree of limits, in its order. */
export function valuesIn(tree: unknown, path: readonly string[] = []): readonly LimitValue[] {
  if (typeof tree === 'number') return [{ path, value: tree }];
  return isObject(tree) ? Object.entries(tree).flatMap(([name, one]) => valuesIn(one, [...path, name])) : [];
}

/** The name of a number in a form. */
export function keyOf(path: readonly string[]): string {
  return path.join('.');
}

/** What a form begins with: the numbers that differ from the defaults. */
export function draftOf(overrides: unknown): ReadonlyMap<string, string> {
  return new Map(valuesIn(overrides).map(({ path, value }) => [keyOf(path), String(value)]));
}

/**
 * What is to differ from the defaults, for what was entered. An empty field is left out. A rate is whole: of one that
 * was entered in part, the rest stays as it holds now.
 *
 * @param limits what holds now
 */
export function overridesOf(limits: LimitTree, draft: ReadonlyMap<string, string>): LimitTree {
  const entered = (path: readonly string[]): string => draft.get(keyOf(path))?.trim() ?? '';
  const chosen = valuesIn(limits).filter(({ path }) => {
    const isRate = path.length > 2;
    const parts = isRate
      ? valuesIn(limits).filter((one) => keyOf(one.path.slice(0, 2)) === keyOf(path.slice(0, 2)))
      : [];
    return entered(path) !== '' || parts.some((one) => entered(one.path) !== '');
  });
  const result: Record<string, Record<string, unknown>> = {};
  for (const { path, value } of chosen) {
    const [subject = '', name = '', part] = path;
    const number = entered(path) === '' ? value : Number(entered(path));
    const of = (result[subject] ??= {});
    of[name] = part === undefined ? number : { ...(isObject(of[name]) && of[name]), [part]: number };
  }
  return result;
}

const WORDS: Readonly<Record<string, string>> = {
  user: 'Each user',
  tenant: 'The tenant',
  admin: 'Administration, each account',
  requests: 'Requests',
  runStarts: 'Starts of runs',
  activeRuns: 'Runs waiting or running',
  streams: 'Open streams per process',
  sockets: 'Open WebSockets per process',
  uploadBytesPerDay: 'Uploaded bytes per day',
  perMinute: 'per minute',
  burst: 'burst',
};

/** The name of a limit for people. */
export function titleOf(path: readonly string[]): string {
  return path.map((name) => WORDS[name] ?? name).join(', ');
}
