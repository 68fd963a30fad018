import { readFileSync } from 'node:fs';
import { isPlainObject, type JsonObject } from '../common/index.js';
import {
  choice,
  type ConfigurationProblem,
  httpUrlWithQuery,
  readJsonFile,
  readJsonText,
  type Rule,
  text,
  token,
} from '../config/index.js';
import { type Checked, checkedHeaders, checkedProviderOptions } from './model-json-settings.js';
import { MODEL_PROVIDER_NAMES, modelProvider } from './model-providers.js';
import { type ModelChoices, type ModelServer, selectModel } from './model-selection.js';

/** A model server, the name of the model there, and how requests are written. */
export interface ConfiguredModel {
  /** Its name in `LLM_MODELS`; absent for the model of the single settings. */
  readonly name?: string;
  readonly server: ModelServer;
  /** The name of the profile; undefined to choose it. */
  readonly profile: string | undefined;
  /** Rules in the place of those of the profile. Their members are checked by the model client. */
  readonly compat: JsonObject | undefined;
  /** Further headers of requests. They are secret. */
  readonly headers: Readonly<Record<string, string>>;
  /** Options of the provider for every call: an object for each provider. */
  readonly providerOptions: Readonly<Record<string, JsonObject>>;
}

/** A model of `LLM_MODELS`. */
export interface NamedModel extends ConfiguredModel {
  /** The name by which agents choose it. */
  readonly name: string;
  /** Globs of the agent types that may use it; undefined: all. */
  readonly agents: readonly string[] | undefined;
}

/** The models of `LLM_MODELS`, and what is wrong with them. */
export interface NamedModels {
  /** In the order of the setting. */
  readonly models: readonly NamedModel[];
  readonly problems: readonly ConfigurationProblem[];
}

/** Where the keys of models come from. */
export interface KeySources {
  /** The environment, for `apiKeyEnv`. */
  readonly env: NodeJS.ProcessEnv;
  /** The keys of providers that are set. */
  readonly keys: ModelChoices['keys'];
}

const SETTING = 'LLM_MODELS';
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
/** The most models. */
const MOST_MODELS = 100;
/** The longest key in a file, in characters. */
const LONGEST_KEY = 4096;
const KEY_MEMBERS = ['apiKey', 'apiKeyEnv', 'apiKeyFile'] as const;
const MEMBERS: readonly string[] = [
  'provider',
  'baseUrl',
  ...KEY_MEMBERS,
  'model',
  'profile',
  'compat',
  'headers',
  'providerOptions',
  'agents',
];

/**
 * Reads `LLM_MODELS`: a JSON object, or the path of a file with one, that has a model for each name. No problem shows a
 * value that may be secret.
 */
export function readNamedModels(given: string | undefined, sources: KeySources): NamedModels {
  if (given === undefined) return { models: [], problems: [] };
  const entries = entriesOf(given);
  if ('problem' in entries) return failure(entries.problem);
  const named = Object.entries(entries.value);
  if (named.length === 0) return failure('must have at least one model');
  if (named.length > MOST_MODELS) return failure(`must have at most ${MOST_MODELS} models`);
  const readers = named.map(([name, value]) => new ModelEntry(name, value, sources));
  return {
    models: readers.flatMap((reader) => reader.model ?? []),
    problems: readers.flatMap(({ problems }) => problems).map((message) => ({ name: SETTING, message })),
  };
}

/** The environment variables that `LLM_MODELS` takes keys from. */
export function modelKeyVariables(env: NodeJS.ProcessEnv): readonly string[] {
  const given = env[SETTING]?.trim() ?? '';
  const entries = given === '' ? undefined : entriesOf(given);
  return Object.values(entries && 'value' in entries ? entries.value : {}).flatMap((entry) => {
    const name = isPlainObject(entry) ? entry['apiKeyEnv'] : undefined;
    return typeof name === 'string' ? [name] : [];
  });
}

function failure(message: string): NamedModels {
  return { models: [], problems: [{ name: SETTING, message }] };
}

/** The models by their names, or why they cannot be read. */
function entriesOf(given: string): Checked<Record<string, unknown>> {
  const reading = /^[[{"]/.test(given) ? readJsonText(given) : readJsonFile(given);
  if ('problem' in reading) return reading;
  const { value } = reading;
  return isPlainObject(value) ? { value } : { problem: 'must be a JSON object, or name a file with one' };
}

/** Reads one model. Problems name its members, and values only where they are no secrets. */
class ModelEntry {
  readonly problems: string[] = [];
  /** Undefined if it cannot be used. */
  readonly model: NamedModel | undefined;
  private readonly members: Readonly<Record<string, unknown>>;

  constructor(
    private readonly name: string,
    value: unknown,
    private readonly sources: KeySources,
  ) {
    this.members = isPlainObject(value) ? value : {};
    if (!NAME.test(name)) {
      this.problems.push(
        `has the name ${JSON.stringify(name.slice(0, 80))}: names have 1 to 64 letters, digits, dots, underscores and hyphens, and begin with a letter or a digit`,
      );
    } else if (!isPlainObject(value)) this.problem('', 'must be an object');
    else this.checkMembers();
    const model = this.read();
    this.model = this.problems.length === 0 ? model : undefined;
  }

  private checkMembers(): void {
    for (const member of Object.keys(this.members)) {
      if (!MEMBERS.includes(member)) this.problem(member.slice(0, 80), `does not exist: use ${MEMBERS.join(', ')}`);
    }
    const keys = KEY_MEMBERS.filter((member) => this.members[member] !== undefined);
    if (keys.length > 1) this.problem(keys[0] ?? '', `must not be set together with ${keys.slice(1).join(' and ')}`);
    const { provider, baseUrl, model } = this.members;
    if (provider === undefined && baseUrl === undefined) this.problem('', 'must have a baseUrl or a provider');
    const known = MODEL_PROVIDER_NAMES.find((name) => name === provider);
    if (model === undefined && (known === undefined || modelProvider(known).model === undefined)) {
      this.problem('', 'must have a model');
    }
  }

  private read(): NamedModel {
    const { server } = selectModel({
      llmProvider: this.textOf('provider', choice(...MODEL_PROVIDER_NAMES)),
      llmBaseUrl: this.textOf('baseUrl', httpUrlWithQuery(), true),
      llmApiKey: this.key(),
      llmModel: this.textOf('model', token(256)),
      keys: this.sources.keys,
    });
    return {
      name: this.name,
      server: Object.assign({}, server, { reason: `${SETTING} ${this.name}` }),
      profile: this.textOf('profile', token(64)),
      compat: this.object('compat', (value) => ({ value: value as JsonObject })),
      headers: this.object('headers', checkedHeaders) ?? {},
      providerOptions: this.object('providerOptions', checkedProviderOptions) ?? {},
      agents: this.agents(),
    };
  }

  /** The key itself, from an environment variable, or from a file. */
  private key(): string | undefined {
    const variable = this.textOf('apiKeyEnv', text(256));
    const file = this.textOf('apiKeyFile', text(4096));
    if (variable !== undefined) {
      const value = this.sources.env[variable]?.trim() ?? '';
      if (value === '') this.problem('apiKeyEnv', `names the variable ${variable}, which is not set`);
      return this.usableKey('apiKeyEnv', value);
    }
    if (file !== undefined) return this.usableKey('apiKeyFile', this.contentOf(file));
    return this.textOf('apiKey', token(LONGEST_KEY), true);
  }

  private usableKey(member: string, value: string): string | undefined {
    if (value === '') return undefined;
    const key = token(LONGEST_KEY).parse(value);
    if (key === undefined) this.problem(member, 'leads to a text that is no key: printable ASCII without spaces');
    return key;
  }

  private contentOf(file: string): string {
    try {
      const content = readFileSync(file, 'utf8').trim();
      if (content === '') this.problem('apiKeyFile', `names an empty file: ${file}`);
      return content;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
      this.problem('apiKeyFile', `names the file ${JSON.stringify(file)}, which cannot be read (${code})`);
      return '';
    }
  }

  private agents(): readonly string[] | undefined {
    const value = this.members['agents'];
    if (value === undefined) return undefined;
    const isUsable = Array.isArray(value) && value.every((item) => typeof item === 'string' && item !== '');
    if (isUsable) return value as string[];
    this.problem('agents', 'must be a list of agent types, in which * stands for any characters');
    return undefined;
  }

  private textOf<T>(member: string, rule: Rule<T>, isSecret = false): T | undefined {
    const value = this.members[member];
    if (value === undefined) return undefined;
    const parsed = typeof value === 'string' ? rule.parse(value) : undefined;
    if (parsed !== undefined) return parsed;
    const shown = isSecret || typeof value !== 'string' ? '' : `, not ${JSON.stringify(value.slice(0, 60))}`;
    this.problem(member, `must be ${rule.expectation}${shown}`);
    return undefined;
  }

  private object<T>(member: string, check: (value: Record<string, unknown>) => Checked<T>): T | undefined {
    const value = this.members[member];
    if (value === undefined) return undefined;
    const checked = isPlainObject(value) ? check(value) : { problem: 'must be an object' };
    if ('value' in checked) return checked.value;
    this.problem(member, checked.problem);
    return undefined;
  }

  private problem(member: string, rule: string): void {
    this.problems.push(`${this.name}${member === '' ? '' : `.${member}`} ${rule}`);
  }
}
