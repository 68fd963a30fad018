/** A provider of models that is known by its key, by its host or by its name in `LLM_PROVIDER`. */
export interface ModelProvider {
  /** The package of the AI SDK that speaks its own API; undefined: it is called through Chat Completions. */
  readonly native?: NativePackage;
  /** The environment variables with its key, the first that is set. */
  readonly keys: readonly KeyVariable[];
  /** Its Chat Completions API; undefined if it has none at a fixed address. */
  readonly baseUrl?: string;
  /** The model that is used when none is set; undefined: one must be named. */
  readonly model?: string;
  /** Matches the host names that its key may be sent to. */
  readonly ownsHost: RegExp;
}

/** A package of the AI SDK. */
export interface NativePackage {
  readonly name: string;
  /** The version line whose models have version 3 of the provider interface. */
  readonly version: string;
  /** The function that makes the provider. */
  readonly create: string;
  /** The path of its API, for addresses that have none; absent: it is at the root. */
  readonly path?: string;
}

/** An environment variable with the key of a provider. */
export type KeyVariable =
  | 'OPENAI_API_KEY'
  | 'ANTHROPIC_API_KEY'
  | 'GEMINI_API_KEY'
  | 'DASHSCOPE_API_KEY'
  | 'DEEPSEEK_API_KEY'
  | 'OPENROUTER_API_KEY';

const sdk = (name: string, version: string, create: string, path?: string): NativePackage => ({
  name: `@ai-sdk/${name}`,
  version,
  create,
  ...(path !== undefined && { path }),
});

/** The providers by their names in `LLM_PROVIDER`; those with a key of their own in order of preference. */
export const MODEL_PROVIDERS = {
  dashscope: {
    keys: ['DASHSCOPE_API_KEY'],
    baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1',
    model: 'qwen-plus',
    ownsHost: /(^|\.)aliyuncs\.com$/,
  },
  // Reasoning models take tools at its Responses API only.
  openai: {
    native: sdk('openai', '^3.0.141', 'createOpenAI', '/v1'),
    keys: ['OPENAI_API_KEY'],
    baseUrl: 'https://api.openai.com/v1',
    model: 'gpt-5.4-mini',
    ownsHost: /(^|\.)openai\.com$/,
  },
  anthropic: {
    native: sdk('anthropic', '^3.0.139', 'createAnthropic', '/v1'),
    keys: ['ANTHROPIC_API_KEY'],
    baseUrl: 'https://api.anthropic.com/v1',
    model: 'claude-sonnet-5',
    ownsHost: /(^|\.)anthropic\.com$/,
  },
  google: {
    native: sdk('google', '^3.0.141', 'createGoogleGenerativeAI', '/v1beta'),
    keys: ['GEMINI_API_KEY'],
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    model: 'gemini-flash-latest',
    ownsHost: /^generativelanguage\.googleapis\.com$/,
  },
  deepseek: {
    keys: ['DEEPSEEK_API_KEY'],
    baseUrl: 'https://api.deepseek.com',
    model: 'deepseek-v4-flash',
    ownsHost: /(^|\.)deepseek\.com$/,
  },
  openrouter: {
    keys: ['OPENROUTER_API_KEY'],
    baseUrl: 'https://openrouter.ai/api/v1',
    model: 'openrouter/auto',
    ownsHost: /(^|\.)openrouter\.ai$/,
  },
  azure: { native: sdk('azure', '^3.0.128', 'createAzure', '/openai/v1'), keys: [], ownsHost: /\.azure\.com$/ },
  bedrock: {
    native: sdk('amazon-bedrock', '^4.0.186', 'createAmazonBedrock'),
    keys: [],
    ownsHost: /\.amazonaws\.com$/,
  },
  vertex: {
    native: sdk('google-vertex', '^4.0.208', 'createVertex'),
    keys: [],
    ownsHost: /(^|-)aiplatform\.googleapis\.com$/,
  },
  mistral: {
    native: sdk('mistral', '^3.0.69', 'createMistral', '/v1'),
    keys: [],
    model: 'mistral-medium-latest',
    ownsHost: /(^|\.)mistral\.ai$/,
  },
  xai: { native: sdk('xai', '^3.0.138', 'createXai', '/v1'), keys: [], model: 'grok-4.5', ownsHost: /(^|\.)x\.ai$/ },
  groq: {
    native: sdk('groq', '^3.0.71', 'createGroq', '/openai/v1'),
    keys: [],
    model: 'openai/gpt-oss-120b',
    ownsHost: /(^|\.)groq\.com$/,
  },
} as const satisfies Record<string, ModelProvider>;

/** The name of a provider. */
export type ModelProviderName = keyof typeof MODEL_PROVIDERS;

/** The names of all providers. */
export const MODEL_PROVIDER_NAMES = Object.keys(MODEL_PROVIDERS) as readonly ModelProviderName[];

/** A provider by its name. */
export function modelProvider(name: ModelProviderName): ModelProvider {
  return MODEL_PROVIDERS[name];
}
