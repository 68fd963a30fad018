import { type SettingsSource } from './settings-slice.js';

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
