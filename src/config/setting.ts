/** Which texts a variable accepts, and the value that each of them means. */
export interface Rule<T> {
  /** What the value must be, as the end of the sentence "NAME must be …". */
  readonly expectation: string;
  /** What a number counts: `ms` or `bytes`. */
  readonly unit?: string;
  /** The value of a text, or undefined if the rule does not accept the text. */
  parse(text: string): T | undefined;
  /** How an error message shows a text that is not accepted; undefined shows it as any other text. */
  describe?(text: string): string | undefined;
}

/** One setting: an environment variable and everything that the server and its documentation say about it. */
export interface Setting<T> {
  /** The name of the environment variable. */
  readonly name: string;
  readonly rule: Rule<unknown>;
  /** What the setting does, in Markdown. */
  readonly description: string;
  /** The default as it would be written in the environment; undefined if it is computed or absent. */
  readonly defaultText: string | undefined;
  /** What holds without the variable, in Markdown, if there is no `defaultText`. */
  readonly unset: string;
  /** The value is never shown, neither in an error nor in a log. */
  readonly secret: boolean;
  /** The value of a text, or undefined if the rule does not accept the text. */
  parse(text: string): T | undefined;
  /** The value if the variable is absent or empty. */
  defaultValue(source: SettingsSource): T;
}

interface Description {
  /** What the setting does, in Markdown. */
  readonly description: string;
  /** The value is never shown, neither in an error nor in a log. */
  readonly secret?: true;
}

/** A default as it would be written in the environment. The rule must accept it. */
interface WrittenDefault {
  readonly default: string | number | boolean;
}

/** A default that depends on the machine or on other settings. */
interface ComputedDefault<T> {
  readonly default: (source: SettingsSource) => NoInfer<T>;
  /** The default in words, in Markdown. */
  readonly unset: string;
}

/** No default: the value is undefined if the variable is absent. */
interface NoDefault {
  readonly default?: never;
  /** What happens then, in Markdown. */
  readonly unset: string;
}

/**
 * Declares a setting: its environment variable, what it may be, its default and what it does.
 *
 * @throws if the rule does not accept the written default
 */
export function setting<T>(
  name: string,
  rule: Rule<T>,
  options: Description & (WrittenDefault | ComputedDefault<T>),
): Setting<T>;
export function setting<T>(name: string, rule: Rule<T>, options: Description & NoDefault): Setting<T | undefined>;
export function setting<T>(
  name: string,
  rule: Rule<T>,
  options: Description & (WrittenDefault | ComputedDefault<T> | NoDefault),
): Setting<T | undefined> {
  const { description, secret = false } = options;
  const common = { name, rule, description, secret, parse: (text: string) => rule.parse(text) };
  if (!isWritten(options)) {
    const compute = options.default ?? (() => undefined);
    return { ...common, defaultText: undefined, unset: options.unset, defaultValue: (source) => compute(source) };
  }
  const defaultText = String(options.default);
  const value = rule.parse(defaultText);
  if (value === undefined) throw new Error(`The default of ${name} must be ${rule.expectation}`);
  return { ...common, defaultText, unset: '', defaultValue: () => value };
}

function isWritten<T>(options: WrittenDefault | ComputedDefault<T> | NoDefault): options is WrittenDefault {
  return options.default !== undefined && typeof options.default !== 'function';
}

/** A variable that cannot be used, and why. The message never contains a secret. */
export interface ConfigurationProblem {
  readonly name: string;
  readonly message: string;
}

/** The settings of a slice by the names of its properties. */
export type Declarations = Readonly<Record<string, Setting<unknown>>>;

/** The values of declared settings, by the same names. */
export type SettingValues<D extends Declarations> = {
  readonly [Key in keyof D]: D[Key] extends Setting<infer Value> ? Value : never;
};

/** Where a slice gets its values from. */
export interface SettingsSource {
  /** The environment that is read. */
  readonly env: NodeJS.ProcessEnv;
  /** The value of a setting, or its default. A text that the rule does not accept is reported. */
  value<T>(setting: Setting<T>): T;
  /** Another slice of the same environment. */
  slice<T extends SettingsSlice>(type: SliceType<T>): T;
}

/** A class of settings, as a token for injection and as the record of what it declares. */
export interface SliceType<T extends SettingsSlice = SettingsSlice> {
  new (source: SettingsSource): T;
  /** The heading of the slice in the documentation. */
  readonly title: string;
  readonly declarations: Declarations;
}

/** The class that `settings` makes. */
export interface SliceBase<D extends Declarations> {
  new (source: SettingsSource): SettingsSlice & SettingValues<D>;
  readonly title: string;
  readonly declarations: D;
}

/** The settings of one feature, read and frozen. */
export abstract class SettingsSlice {
  readonly #source: SettingsSource;

  constructor(source: SettingsSource) {
    this.#source = source;
  }

  /** The environment and the other slices, for properties that depend on them. */
  protected get source(): SettingsSource {
    return this.#source;
  }

  /**
   * What is wrong with settings that are each valid.
   *
   * @param unusable the variables whose own value is already reported
   */
  problems(_unusable: ReadonlySet<string>): readonly ConfigurationProblem[] {
    return [];
  }

  /** What the owner of the server should know: sentences without secrets, for the log. */
  warnings(): readonly string[] {
    return [];
  }
}

/**
 * Makes the base class of a slice: a class whose instances have one read-only property per setting.
 *
 * ```ts
 * export class MailSettings extends settings('Mail', {
 *   retries: setting('MAIL_RETRIES', integer({ min: 0, max: 10 }), {
 *     default: 3,
 *     description: 'How often sending is repeated after an error.',
 *   }),
 * }) {}
 * ```
 *
 * @param title the heading of the slice in the documentation
 */
export function settings<D extends Declarations>(title: string, declarations: D): SliceBase<D> {
  class DeclaredSettings extends SettingsSlice {
    static readonly title = title;
    static readonly declarations = declarations;

    constructor(source: SettingsSource) {
      super(source);
      const values = Object.entries(declarations).map(([key, declared]) => [key, source.value(declared)] as const);
      Object.assign(this, Object.fromEntries(values));
    }
  }
  return DeclaredSettings as unknown as SliceBase<D>;
}
