import { validateSync } from 'class-validator';
import { type ConfigurationProblem } from './configuration-error.js';
import { Environment } from './environment.js';
import { type SettingDefinition, settingDefinitions } from './setting.decorator.js';

const KNOWN_SCHEME = /^(https?|ftp|file|sqlite|postgres|postgresql|mysql|mongodb|redis):/i;
const SHOWN_CHARACTERS = 60;

/** The environment as typed values with defaults, and what is wrong with it. */
export interface EnvironmentReading {
  readonly environment: Environment;
  readonly problems: readonly ConfigurationProblem[];
}

/** Reads the variables of `Environment`; an empty variable counts as absent. */
export function readEnvironment(env: NodeJS.ProcessEnv): EnvironmentReading {
  const definitions = settingDefinitions();
  const values = new Map(definitions.map((definition) => [definition.name, valueOf(definition, env)]));
  const environment = Object.assign(new Environment(), Object.fromEntries(values));
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  const problems = validateSync(environment).flatMap((error) => {
    const definition = byName.get(error.property);
    return definition === undefined ? [] : [problemOf(definition, values.get(definition.name))];
  });
  return { environment, problems };
}

function valueOf(definition: SettingDefinition, env: NodeJS.ProcessEnv): string | number | boolean | undefined {
  const text = env[definition.name]?.trim();
  return text === undefined || text === '' ? definition.fallback : definition.rule.parse(text);
}

function problemOf(definition: SettingDefinition, value: unknown): ConfigurationProblem {
  return {
    name: definition.name,
    message: `must be ${definition.rule.expectation}, but is ${describe(definition, value)}`,
  };
}

function describe(definition: SettingDefinition, value: unknown): string {
  if (typeof value !== 'string') return `the ${typeof value} ${String(value)}`;
  const length = `a text of ${value.length} characters`;
  if (definition.rule.disclosure === 'scheme') {
    // A mistyped address may hold a password, or be a key that was put into the wrong variable.
    const scheme = KNOWN_SCHEME.exec(value)?.[0];
    return scheme === undefined ? `${length} (not shown)` : `${length} that begins with ${scheme} (not shown)`;
  }
  if (definition.secret === true) return `${length} (not shown)`;
  if (value.length > SHOWN_CHARACTERS)
    return `${length} that begins with ${JSON.stringify(value.slice(0, SHOWN_CHARACTERS))}`;
  return `the text ${JSON.stringify(value)}`;
}
