/** The body of a request for a key. */
export interface NewKey {
  readonly account: string;
  readonly name?: string;
  readonly user?: string;
  readonly scopes: readonly string[];
  readonly networks?: readonly string[];
  readonly expires: string;
}

/** What a person has entered. */
export interface KeyDraft {
  readonly account: string;
  readonly name: string;
  readonly user: string;
  /** Chosen from the list. */
  readonly scopes: ReadonlySet<string>;
  /** Further ones, such as `agents:support-*`, separated by blanks or commas. */
  readonly patterns: string;
  readonly networks: string;
  readonly expires: string;
}

/** Durations to choose from: the value that the server takes, and its title. */
export const DURATIONS: readonly (readonly [string, string])[] = [
  ['1d', '1 day'],
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['90d', '90 days'],
  ['365d', '1 year'],
  ['never', 'Never'],
];

/** What most keys are for. */
const USUAL_SCOPES = ['runs:write', 'runs:read'];

/** The scopes to choose from. Patterns are not: they are entered. @param grantable the scopes that a key can have */
export function offeredOf(grantable: readonly string[]): readonly string[] {
  return grantable.filter((scope) => !/[*?]/.test(scope));
}

/** A form in which nothing was entered. @param offered the scopes to choose from */
export function emptyDraft(offered: readonly string[]): KeyDraft {
  return {
    account: '',
    name: '',
    user: '',
    scopes: new Set(USUAL_SCOPES.filter((scope) => offered.includes(scope))),
    patterns: '',
    networks: '',
    expires: '90d',
  };
}

/** The request for what was entered; empty fields are left out. */
export function newKeyOf({ account, name, user, scopes, patterns, networks, expires }: KeyDraft): NewKey {
  const from = wordsIn(networks);
  return {
    account: account.trim(),
    ...(name.trim() !== '' && { name: name.trim() }),
    ...(user.trim() !== '' && { user: user.trim() }),
    scopes: [...new Set([...scopes, ...wordsIn(patterns)])],
    ...(from.length > 0 && { networks: from }),
    expires,
  };
}

function wordsIn(text: string): readonly string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}
