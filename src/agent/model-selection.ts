import { type ConfigurationProblem } from '../config/index.js';
import { type KeyVariable, MODEL_PROVIDER_NAMES, modelProvider, type ModelProviderName } from './model-providers.js';

/** The model server that is called, and the name of the model there. */
export interface ModelServer {
  /** `offline` if no model is configured; `native` if the package of a provider speaks the provider's own API. */
  readonly kind: 'offline' | 'openai-compatible' | 'native';
  /**
   * Its path has no slash at its end. Empty for the offline model, and for a native provider at its own address without
   * a Chat Completions API.
   */
  readonly baseUrl: string;
  /** Undefined for servers without authentication, and for providers that find their credentials themselves. */
  readonly apiKey: string | undefined;
  /** The model of requests that name none. */
  readonly model: string;
  /** The provider of a native server. */
  readonly provider?: ModelProviderName;
  /** Of a native server: whether the settings name the provider, or only its key; then Chat Completions serves too. */
  readonly isProviderNamed?: boolean;
  /** Of a native server: whether `baseUrl` was set, and is not the address that the package knows. */
  readonly isAddressGiven?: boolean;
  /** What the server was chosen by, as the end of the sentence "The model was chosen by …". */
  readonly reason: string;
}

/** The chosen server, and what is wrong or unused in the settings that it was chosen by. */
export interface ModelSelection {
  readonly server: ModelServer;
  /** Settings that contradict each other; the server does not start with them. */
  readonly problems: readonly ConfigurationProblem[];
  /** Sentences without secrets, for the log. */
  readonly warnings: readonly string[];
}

/** The settings that a model server is chosen by. */
export interface ModelChoices {
  readonly llmProvider: ModelProviderName | undefined;
  readonly llmBaseUrl: string | undefined;
  readonly llmApiKey: string | undefined;
  readonly llmModel: string | undefined;
  /** The keys of providers that are set. */
  readonly keys: Readonly<Partial<Record<KeyVariable, string | undefined>>>;
}

/** The model of unknown servers when none is set. */
const DEFAULT_MODEL = 'gpt-4o-mini';
const OFFLINE_MODEL = 'offline-demo';

/**
 * Chooses the model server. `LLM_*` take precedence; a provider key alone selects its provider; without any
 * of them the offline model is selected. A provider key is sent only to hosts of its provider.
 */
export function selectModel(choices: ModelChoices): ModelSelection {
  if (choices.llmProvider !== undefined) return selectByName(choices, choices.llmProvider);
  if (choices.llmBaseUrl !== undefined) return selectByAddress(choices, choices.llmBaseUrl);
  return selectByKey(choices) ?? selectOffline(choices);
}

/** The provider that the settings name: through its package if it has one, and otherwise through Chat Completions. */
function selectByName(choices: ModelChoices, name: ModelProviderName): ModelSelection {
  const provider = modelProvider(name);
  const address = choices.llmBaseUrl ?? provider.baseUrl ?? '';
  const model = choices.llmModel ?? provider.model;
  const noModel = { name: 'LLM_MODEL', message: `must be set, because LLM_PROVIDER is ${name}` };
  return {
    server: {
      kind: provider.native ? 'native' : 'openai-compatible',
      baseUrl: withoutSlash(address),
      apiKey: choices.llmApiKey ?? keyOf(choices, name),
      model: model ?? '',
      provider: name,
      isProviderNamed: true,
      isAddressGiven: choices.llmBaseUrl !== undefined,
      reason: `LLM_PROVIDER=${name}`,
    },
    problems: model === undefined ? [noModel] : [],
    warnings: unusedKeys(choices, name, `LLM_PROVIDER is ${name}`),
  };
}

/** The provider whose key is set. */
function selectByKey(choices: ModelChoices): ModelSelection | undefined {
  const [name, ...others] = MODEL_PROVIDER_NAMES.filter((one) => keyOf(choices, one) !== undefined);
  if (name === undefined) return undefined;
  const { baseUrl = '', model = DEFAULT_MODEL, native, keys } = modelProvider(name);
  const [variable = ''] = keys;
  return {
    server: {
      kind: native ? 'native' : 'openai-compatible',
      baseUrl,
      apiKey: choices.llmApiKey ?? keyOf(choices, name),
      model: choices.llmModel ?? model,
      ...(native && { provider: name, isProviderNamed: false, isAddressGiven: false }),
      reason: variable,
    },
    problems: [],
    warnings: others.flatMap((other) =>
      modelProvider(other).keys.map((unused) => `${unused} is not used, because ${variable} is set too.`),
    ),
  };
}

/** Uses the given address. A provider's key is sent only to the provider's own hosts. */
function selectByAddress(choices: ModelChoices, address: string): ModelSelection {
  const hostname = URL.canParse(address) ? new URL(address).hostname : '';
  const owner = MODEL_PROVIDER_NAMES.find((name) => modelProvider(name).ownsHost.test(hostname));
  const known = owner && modelProvider(owner);
  const isUnnamed = choices.llmModel === undefined && known?.model === undefined;
  return {
    server: {
      kind: 'openai-compatible',
      baseUrl: withoutSlash(address),
      apiKey: choices.llmApiKey ?? (owner === undefined ? undefined : keyOf(choices, owner)),
      model: choices.llmModel ?? known?.model ?? DEFAULT_MODEL,
      reason: 'LLM_BASE_URL',
    },
    problems: [],
    warnings: [
      ...(isUnnamed ? [`LLM_MODEL is not set: LLM_BASE_URL is asked for ${DEFAULT_MODEL}.`] : []),
      ...unusedKeys(choices, owner, 'LLM_BASE_URL is the address of another server'),
    ],
  };
}

/** Without an address or a provider's key, a built-in model answers. */
function selectOffline(choices: ModelChoices): ModelSelection {
  const orphanKey: ConfigurationProblem = {
    name: 'LLM_API_KEY',
    message: 'must be set together with LLM_BASE_URL, which says where the key belongs, or with LLM_PROVIDER',
  };
  const orphanModel: ConfigurationProblem = {
    name: 'LLM_MODEL',
    message: 'must be set together with LLM_BASE_URL or with the key of a provider, such as OPENAI_API_KEY',
  };
  return {
    server: { kind: 'offline', baseUrl: '', apiKey: undefined, model: OFFLINE_MODEL, reason: 'the absence of a model' },
    problems: [
      ...(choices.llmApiKey === undefined ? [] : [orphanKey]),
      ...(choices.llmModel === undefined ? [] : [orphanModel]),
    ],
    warnings: choices.llmModel === undefined ? [] : ['LLM_MODEL is not used, because no model server is configured.'],
  };
}

function keyOf({ keys }: ModelChoices, name: ModelProviderName): string | undefined {
  return modelProvider(name)
    .keys.map((variable) => keys[variable])
    .find((key) => key !== undefined);
}

/** The keys of other providers than the one that is called. */
function unusedKeys(choices: ModelChoices, used: ModelProviderName | undefined, because: string): readonly string[] {
  return MODEL_PROVIDER_NAMES.filter((name) => name !== used && keyOf(choices, name) !== undefined).flatMap((name) =>
    modelProvider(name).keys.map((variable) => `${variable} is not used, because ${because}.`),
  );
}

/** A query stays. */
function withoutSlash(address: string): string {
  return address.replace(/^([^?]*?)\/+(?=$|\?)/, '$1');
}
