import { type ConfigurationProblem } from '../config/index.js';

/** The model server that is called, and the model it is asked for. */
export interface ModelServer {
  /** `offline` if neither an address nor a provider key is configured. */
  readonly kind: 'offline' | 'openai-compatible';
  /** Its path has no slash at its end; empty for the offline model. */
  readonly baseUrl: string;
  /** Undefined for servers without authentication. */
  readonly apiKey: string | undefined;
  /** The model of requests that name none. */
  readonly model: string;
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
  readonly llmBaseUrl: string | undefined;
  readonly llmApiKey: string | undefined;
  readonly llmModel: string | undefined;
  readonly dashscopeApiKey: string | undefined;
  readonly openaiApiKey: string | undefined;
}

/** A provider that is known by its key or by its host name. */
interface Provider {
  /** The member of `ModelChoices` with its key. */
  readonly key: 'dashscopeApiKey' | 'openaiApiKey';
  /** The environment variable with its key, for messages. */
  readonly variable: string;
  /** The address that is used when only the key is set. */
  readonly baseUrl: string;
  /** The model that is used when none is set. */
  readonly model: string;
  /** Matches the host names that its key may be sent to. */
  readonly ownsHost: RegExp;
}

/** In order of preference if several keys are set. */
const PROVIDERS: readonly Provider[] = [
  {
    key: 'dashscopeApiKey',
    variable: 'DASHSCOPE_API_KEY',
    baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    model: 'qwen-plus',
    ownsHost: /(^|\.)aliyuncs\.com$/,
  },
  {
    key: 'openaiApiKey',
    variable: 'OPENAI_API_KEY',
    baseUrl: 'https://api.openai.com/v1',
    model: 'gpt-4o-mini',
    ownsHost: /(^|\.)openai\.com$/,
  },
];
/** The model of unknown servers when none is set. */
const DEFAULT_MODEL = 'gpt-4o-mini';
const OFFLINE_MODEL = 'offline-demo';

/**
 * Chooses the model server. `LLM_*` take precedence; a provider key alone selects its provider; without any
 * of them the offline model is selected. A provider key is sent only to hosts of its provider.
 */
export function selectModel(choices: ModelChoices): ModelSelection {
  if (choices.llmBaseUrl !== undefined) return selectByAddress(choices, choices.llmBaseUrl);
  const [provider, ...others] = PROVIDERS.filter(({ key }) => choices[key] !== undefined);
  if (provider === undefined) return selectOffline(choices);
  return {
    server: {
      kind: 'openai-compatible',
      baseUrl: provider.baseUrl,
      apiKey: choices.llmApiKey ?? choices[provider.key],
      model: choices.llmModel ?? provider.model,
    },
    problems: [],
    warnings: others.map(({ variable }) => `${variable} is not used, because ${provider.variable} is set too.`),
  };
}

/** Uses the given address. A provider's key is sent only to the provider's own hosts. */
function selectByAddress(choices: ModelChoices, address: string): ModelSelection {
  const hostname = URL.canParse(address) ? new URL(address).hostname : '';
  const owner = PROVIDERS.find(({ ownsHost }) => ownsHost.test(hostname));
  const unused = PROVIDERS.filter((provider) => provider !== owner && choices[provider.key] !== undefined);
  const isUnnamed = choices.llmModel === undefined && owner === undefined;
  return {
    server: {
      kind: 'openai-compatible',
      baseUrl: address.replace(/^([^?]*?)\/+(?=$|\?)/, '$1'),
      apiKey: choices.llmApiKey ?? (owner === undefined ? undefined : choices[owner.key]),
      model: choices.llmModel ?? owner?.model ?? DEFAULT_MODEL,
    },
    problems: [],
    warnings: [
      ...(isUnnamed ? [`LLM_MODEL is not set: LLM_BASE_URL is asked for ${DEFAULT_MODEL}.`] : []),
      ...unused.map(
        ({ variable }) => `${variable} is not used, because LLM_BASE_URL is the address of another server.`,
      ),
    ],
  };
}

/** Without an address or a provider's key, a built-in model answers. */
function selectOffline(choices: ModelChoices): ModelSelection {
  const orphanKey: ConfigurationProblem = {
    name: 'LLM_API_KEY',
    message: 'must be set together with LLM_BASE_URL, which says where the key belongs',
  };
  const orphanModel: ConfigurationProblem = {
    name: 'LLM_MODEL',
    message: 'must be set together with LLM_BASE_URL or with the key of a provider, such as OPENAI_API_KEY',
  };
  return {
    server: { kind: 'offline', baseUrl: '', apiKey: undefined, model: OFFLINE_MODEL },
    problems: [
      ...(choices.llmApiKey === undefined ? [] : [orphanKey]),
      ...(choices.llmModel === undefined ? [] : [orphanModel]),
    ],
    warnings: choices.llmModel === undefined ? [] : ['LLM_MODEL is not used, because no model server is configured.'],
  };
}
