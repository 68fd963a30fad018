import { ValidateBy } from 'class-validator';
import { type Rule } from './setting-rules.js';

/** Where a setting is listed in the documentation. */
export type SettingGroup =
  | 'HTTP'
  | 'Storage'
  | 'Model'
  | 'Samples'
  | 'Agent'
  | 'Tools'
  | 'Runs'
  | 'Attachments'
  | 'Agent API'
  | 'OpenAI Responses'
  | 'AG-UI'
  | 'AG-Kit'
  | 'Runs API'
  | 'Logging';

/** One environment variable: what it means, what it may be, and what it is when nobody sets it. */
export interface SettingOptions {
  readonly group: SettingGroup;
  readonly rule: Rule;
  readonly description: string;
  /** The value when the variable is absent or empty. */
  readonly fallback?: string | number | boolean;
  /** How the default reads in the documentation when it is computed. */
  readonly fallbackText?: string;
  /** Never shown, neither in an error nor in a log. */
  readonly secret?: boolean;
}

/** A setting with the name of its environment variable. */
export interface SettingDefinition extends SettingOptions {
  readonly name: string;
}

const definitions: SettingDefinition[] = [];

/**
 * Declares a property of `Environment` as an environment variable: registers it for the
 * documentation and has class-validator check it by its rule.
 */
export function Setting(options: SettingOptions): PropertyDecorator {
  return (target, key) => {
    const name = String(key);
    definitions.push({ ...options, name });
    ValidateBy({
      name: 'setting',
      validator: {
        validate: (value: unknown) => value === undefined || options.rule.accepts(value),
        defaultMessage: () => options.rule.expectation,
      },
    })(target, name);
  };
}

/** Every declared setting, in the order of declaration. */
export function settingDefinitions(): readonly SettingDefinition[] {
  return definitions;
}
