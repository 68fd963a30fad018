/** `${NAME}` or `${NAME:-default}`. */
const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/** Shorter values are words such as `true`, not secrets. */
const SECRET_LENGTH = 8;

/**
 * A named entry of a setting in JSON, such as an MCP server. Reading a key of the wrong type adds a problem and returns
 * undefined; problems name keys and variables, never values.
 */
export class JsonEntry {
  readonly problems: string[] = [];
  private readonly hidden = new Set<string>();
  private readonly values: Readonly<Record<string, unknown>>;

  constructor(
    readonly label: string,
    private readonly value: unknown,
    private readonly env: NodeJS.ProcessEnv,
    /** What problems call it, before its name. */
    private readonly kind = 'server',
  ) {
    this.values = this.isObject ? (value as Record<string, unknown>) : {};
  }

  get isObject(): boolean {
    return typeof this.value === 'object' && this.value !== null && !Array.isArray(this.value);
  }

  get keys(): readonly string[] {
    return Object.keys(this.values);
  }

  /** Values that must never be logged: those of `env` and `headers`, and those of variables. */
  get secrets(): readonly string[] {
    return [...this.hidden];
  }

  /** Adds a problem of this entry. */
  problem(what: string): void {
    this.problems.push(`${this.kind} ${JSON.stringify(this.label.slice(0, 80))}: ${what}`);
  }

  /** Adds a problem if the entry has a key that is only allowed together with another one. */
  refuse(key: string, required: string): void {
    if (this.values[key] !== undefined) this.problem(`${JSON.stringify(key)} requires ${JSON.stringify(required)}`);
  }

  text(key: string): string | undefined {
    return this.read(key, 'a string', (value): value is string => typeof value === 'string');
  }

  texts(key: string): readonly string[] | undefined {
    return this.read(key, 'a list of strings', isTexts);
  }

  flag(key: string): boolean {
    return this.choice(key) ?? false;
  }

  /** An object of any JSON values. */
  object(key: string): Readonly<Record<string, unknown>> | undefined {
    return this.read(key, 'an object', isPlainRecord);
  }

  /** One of a few words. */
  word<T extends string>(key: string, words: readonly T[]): T | undefined {
    const isWord = (value: unknown): value is T =>
      typeof value === 'string' && (words as readonly string[]).includes(value);
    return this.read(key, `one of ${words.join(', ')}`, isWord);
  }

  /** A word, true or false; undefined if it is absent. */
  wordOrChoice<T extends string>(key: string, word: T): T | boolean | undefined {
    const isEither = (value: unknown): value is T | boolean => value === word || typeof value === 'boolean';
    return this.read(key, `true, false or ${word}`, isEither);
  }

  /** True or false; undefined if it is absent. */
  choice(key: string): boolean | undefined {
    return this.read(key, 'true or false', (value): value is boolean => typeof value === 'boolean');
  }

  integer(key: string, min: number, max: number): number | undefined {
    const isUsable = (value: unknown): value is number =>
      Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
    return this.read(key, `a whole number from ${min} to ${max}`, isUsable);
  }

  expanded(key: string): string | undefined {
    const text = this.text(key);
    return text === undefined ? undefined : this.expand(key, text);
  }

  /** A string, whose variables are replaced, or an object of any JSON values. */
  expandedOrObject(key: string): string | Readonly<Record<string, unknown>> | undefined {
    const isEither = (value: unknown): value is string | Readonly<Record<string, unknown>> =>
      typeof value === 'string' || isPlainRecord(value);
    const value = this.read(key, 'a string or an object', isEither);
    return typeof value === 'string' ? this.expand(key, value) : value;
  }

  expandedTexts(key: string): readonly string[] | undefined {
    return this.texts(key)?.map((text) => this.expand(key, text));
  }

  /** Strings by name; every value is a secret. */
  secretMap(key: string): Readonly<Record<string, string>> {
    const map = this.read(key, 'an object of strings', isTextMap) ?? {};
    return Object.fromEntries(
      Object.entries(map).map(([name, text]) => {
        const value = this.expand(key, text);
        this.hide(value);
        return [name, value];
      }),
    );
  }

  private expand(key: string, text: string): string {
    return text.replace(VARIABLE, (_all, name: string, fallback: string | undefined) => {
      const value = this.env[name];
      if (value !== undefined && value !== '') {
        this.hide(value);
        return value;
      }
      if (fallback === undefined)
        this.problem(`${JSON.stringify(key)} refers to the variable ${name}, which is not set`);
      return fallback ?? '';
    });
  }

  private hide(value: string): void {
    for (const piece of [value, ...value.split(/\s+/)]) if (piece.length >= SECRET_LENGTH) this.hidden.add(piece);
  }

  private read<T>(key: string, expectation: string, is: (value: unknown) => value is T): T | undefined {
    const value = this.values[key];
    if (value === undefined || value === null) return undefined;
    if (is(value)) return value;
    this.problem(`${JSON.stringify(key)} must be ${expectation}`);
    return undefined;
  }
}

function isPlainRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isTextMap(value: unknown): value is Readonly<Record<string, string>> {
  return isPlainRecord(value) && Object.values(value).every((item) => typeof item === 'string');
}
