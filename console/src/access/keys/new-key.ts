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

/** A form in which nothing was entered. */
export const EMPTY_DRAFT: KeyDraft = {
  account: '',
  name: '',
  user: '',
  scopes: new Set(['runs:write', 'runs:read']),
  patterns: '',
  networks: '',
  expires: '90d',
};

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
