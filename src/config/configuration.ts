import type { ConfigurationProblem, Setting, SettingsSlice, SettingsSource, SliceType } from './setting.js';

/** Longer values are cut in error messages. */
const SHOWN_CHARACTERS = 60;

/** All problems of the environment together. Its message may be shown. */
export class ConfigurationError extends Error {
  constructor(readonly problems: readonly ConfigurationProblem[]) {
    const lines = problems.map(({ name, message }) => `  ${name} ${message}`);
    super(
      ['Parley cannot start, because its configuration is not valid:', ...lines, 'See docs/configuration.md.'].join(
        '\n',
      ),
    );
    this.name = 'ConfigurationError';
  }
}

/** The valid settings of a server: one object per slice. */
export class Configuration {
  private constructor(
    private readonly slices: ReadonlyMap<SliceType, SettingsSlice>,
    /** Sentences without secrets, for the log. */
    readonly warnings: readonly string[],
  ) {}

  /**
   * Reads slices from the environment, with every default applied. An empty variable counts as absent.
   *
   * @param optional variables that may be absent although other settings need them: what they configure is
   *   given in another way
   * @param known problems of the environment that no slice sees
   * @throws ConfigurationError that names every variable that cannot be used
   */
  static read(
    env: NodeJS.ProcessEnv,
    types: readonly SliceType[],
    optional: readonly string[] = [],
    known: readonly ConfigurationProblem[] = [],
  ): Configuration {
    const reader = new SettingsReader(env);
    const slices = new Map(types.map((type) => [type, reader.slice(type)]));
    reader.check(optional, known);
    return new Configuration(
      slices,
      [...slices.values()].flatMap((slice) => slice.warnings()),
    );
  }

  /** The classes of the slices: tokens for injection. */
  get types(): readonly SliceType[] {
    return [...this.slices.keys()];
  }

  /** @throws if the configuration was read without this slice */
  get<T extends SettingsSlice>(type: SliceType<T>): T {
    const slice = this.slices.get(type);
    if (slice === undefined) throw new Error(`The configuration has no ${type.name}`);
    return slice as T;
  }
}

/**
 * Reads one slice, and the slices that it depends on: for what needs nothing else, such as a script or a test.
 *
 * @throws ConfigurationError that names every variable that cannot be used
 */
export function readSettings<T extends SettingsSlice>(type: SliceType<T>, env: NodeJS.ProcessEnv): T {
  return Configuration.read(env, [type]).get(type);
}

/** Reads slices of one environment, each once, and collects what is wrong with them. */
class SettingsReader implements SettingsSource {
  private readonly problems: ConfigurationProblem[] = [];
  private readonly slices = new Map<SliceType, SettingsSlice>();

  constructor(readonly env: NodeJS.ProcessEnv) {}

  value<T>(setting: Setting<T>): T {
    const text = this.env[setting.name]?.trim() ?? '';
    if (text !== '') {
      const value = setting.parse(text);
      if (value !== undefined) return value;
      this.problems.push({
        name: setting.name,
        message: `must be ${setting.rule.expectation}, but is ${describe(setting, text)}`,
      });
    }
    return setting.defaultValue(this);
  }

  slice<T extends SettingsSlice>(type: SliceType<T>): T {
    const slice = this.slices.get(type) ?? freezeDeep(new type(this));
    this.slices.set(type, slice);
    return slice as T;
  }

  /** @throws ConfigurationError if any variable of the slices cannot be used */
  check(optional: readonly string[], known: readonly ConfigurationProblem[] = []): void {
    const unusable = new Set(this.problems.map(({ name }) => name));
    const relations = [...this.slices.values()].flatMap((slice) => slice.problems(unusable));
    const all = [...known, ...this.problems, ...relations.filter(({ name }) => !optional.includes(name))];
    if (all.length > 0) throw new ConfigurationError(all);
  }
}

function describe(setting: Setting<unknown>, text: string): string {
  const described = setting.rule.describe?.(text);
  if (described !== undefined) return described;
  const length = `a text of ${text.length} characters`;
  if (setting.secret) return `${length} (not shown)`;
  if (text.length <= SHOWN_CHARACTERS) return `the text ${JSON.stringify(text)}`;
  return `${length} that begins with ${JSON.stringify(text.slice(0, SHOWN_CHARACTERS))}`;
}

function freezeDeep<T extends object>(value: T): T {
  for (const item of Object.values(value)) {
    if (typeof item === 'object' && item !== null) freezeDeep(item as object);
  }
  return Object.freeze(value);
}
