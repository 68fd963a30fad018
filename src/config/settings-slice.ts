import { type ConfigurationProblem, readSlice } from './configuration.js';
import { type Setting } from './setting.js';

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
  /**
   * Reads this slice alone: for what needs nothing else, such as a script or a test.
   *
   * @throws ConfigurationError that names every variable of the slice that cannot be used
   */
  from<T extends SettingsSlice>(this: SliceType<T>, env: NodeJS.ProcessEnv): T;
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

    static from(this: SliceType, env: NodeJS.ProcessEnv): SettingsSlice {
      return readSlice(env, this);
    }

    constructor(source: SettingsSource) {
      super(source);
      const values = Object.entries(declarations).map(([key, declared]) => [key, source.value(declared)] as const);
      Object.assign(this, Object.fromEntries(values));
    }
  }
  return DeclaredSettings as unknown as SliceBase<D>;
}
