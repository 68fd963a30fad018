import type { ConfigurationProblem } from './setting.js';

/** Names of other programs that resemble one of ours. */
const FOREIGN_NAMES = new Set(['HOSTNAME', 'LOGNAME', 'AUTHOR', 'REDIS_URLS', 'NODE_NAMES']);

/** Kubernetes describes the services of a namespace by variables of these forms. */
const SERVICE_LINK = /_(SERVICE_(HOST|PORT(_\w+)?)|PORT(_\d+_(TCP|UDP|SCTP)(_\w+)?)?)$/;

/** Setting names of at most this many letters: shorter words resemble too many others. */
const SHORT_NAME = 6;

/** Letters in which the longest names may differ from the setting that is meant. */
const MOST_EDITS = 2;

/** No other program uses names that begin with these. */
const OWN_PREFIXES = ['LLM_', 'AG_KIT_', 'RUNS_API_', 'AGENT_API_'];

/**
 * Variables that are not settings and can only be meant as one: names that differ from a setting in a letter or
 * two, or in their underscores, and names with a prefix that only settings have. Without this check such a server
 * would start without what its owner has configured, in the worst case without authentication.
 *
 * @param known the names of all settings
 */
export function misspelledSettings(env: NodeJS.ProcessEnv, known: readonly string[]): readonly ConfigurationProblem[] {
  const settings = new Set(known);
  const names = Object.keys(env).filter((name) => env[name]?.trim() !== '' && !settings.has(name) && mayBeOurs(name));
  return names.flatMap((name) => {
    const isOwn = OWN_PREFIXES.some((prefix) => name.startsWith(prefix));
    const [nearest] = known
      .filter((setting) => isOwn || areOfSimilarLength(name, setting))
      .map((setting) => ({ setting, edits: editsBetween(letters(name), letters(setting)) }))
      .sort((one, other) => distance(name, one) - distance(name, other));
    if (nearest === undefined) return [];
    if (!isOwn && !isMisspelling(name, nearest.setting, nearest.edits)) return [];
    return [{ name, message: `is not a setting: did you mean ${nearest.setting}?` }];
  });
}

/** Whether one name can be the other with at most `MOST_EDITS` wrong letters. */
function areOfSimilarLength(name: string, setting: string): boolean {
  return Math.abs(letters(name).length - letters(setting).length) <= MOST_EDITS;
}

/** A common word counts for more than a letter: LLM_URL is nearer to LLM_BASE_URL than to LLM_MODEL. */
function distance(name: string, { setting, edits }: { readonly setting: string; readonly edits: number }): number {
  const words = new Set(name.split('_'));
  return edits - 2 * setting.split('_').filter((word) => words.has(word)).length;
}

function mayBeOurs(name: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/i.test(name) && !FOREIGN_NAMES.has(name) && !SERVICE_LINK.test(name);
}

/** A short name must have all its letters; a long one may have two wrong ones. */
function isMisspelling(name: string, setting: string, edits: number): boolean {
  if (setting.length > SHORT_NAME) return edits <= (setting.length > 2 * SHORT_NAME ? MOST_EDITS : 1);
  const added = letters(name).length - letters(setting).length;
  return edits === 0 || (edits === 1 && added === 1 && letters(name).startsWith(letters(setting).slice(0, -1)));
}

/** The letters of a name in the singular. */
function letters(name: string): string {
  return name.toUpperCase().replace(/IES$/, 'Y').replace(/S$/, '').replaceAll('_', '');
}

/** The fewest letters to insert, delete, replace or swap with their neighbor that turn one text into the other. */
function editsBetween(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const isSame = one[i - 1] === other[j - 1];
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row[j] = Math.min(
        cell(rows, i - 1, j) + 1,
        (row[j - 1] ?? 0) + 1,
        cell(rows, i - 1, j - 1) + (isSame ? 0 : 1),
        isSwap ? cell(rows, i - 2, j - 2) + 1 : Infinity,
      );
    }
    rows.push(row);
  }
  return cell(rows, one.length, other.length);
}

function cell(rows: readonly (readonly number[])[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}
