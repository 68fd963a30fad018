import {
  choice,
  type ConfigurationProblem,
  DAY_MS,
  flag,
  HOUR_MS,
  httpUrlWithQuery,
  integer,
  milliseconds,
  setting,
  settings,
  text,
  token,
} from '../config/index.js';
import { readCompat, readHeaders, readProviderOptions } from './model-json-settings.js';
import { MODEL_PROVIDER_NAMES } from './model-providers.js';
import { type ModelServer, selectModel } from './model-selection.js';
import { type ConfiguredModel, type NamedModel, readNamedModels } from './named-models.js';

/** Which model server is called, and how long the server waits for it. */
export class ModelSettings extends settings('Model', {
  llmProvider: setting('LLM_PROVIDER', choice(...MODEL_PROVIDER_NAMES), {
    unset: 'chosen by the provider key; a server at LLM_BASE_URL is called through Chat Completions',
    description:
      'The provider of the model. It is called through its own API, by a package of the AI SDK that has to be installed (docs/models.md). What LLM_API_KEY and LLM_BASE_URL do not give, the package reads from the variables of the provider.',
  }),
  llmProviderOptions: setting('LLM_PROVIDER_OPTIONS', text(65_536), {
    unset: 'none',
    description:
      'Options of the provider for every call, as a JSON object by the name of the provider: `{"anthropic":{"thinking":{"type":"enabled","budgetTokens":4096}}}`.',
  }),
  llmBaseUrl: setting('LLM_BASE_URL', httpUrlWithQuery(), {
    unset: 'chosen by the provider key',
    description:
      'Base URL of a server with the Chat Completions API, such as `http://127.0.0.1:11434/v1`. A query, such as `?api-version=2024-10-21`, is sent with every request.',
  }),
  llmApiKey: setting('LLM_API_KEY', token(4096), {
    unset: 'the provider key',
    secret: true,
    description: 'Key for the server at LLM_BASE_URL. Leave it empty for a server that needs no key.',
  }),
  llmModel: setting('LLM_MODEL', token(256), {
    unset: 'the default model of the provider (docs/models.md), `gpt-4o-mini` on other servers',
    description: 'Name of the model.',
  }),
  llmProfile: setting('LLM_PROFILE', token(64), {
    unset: 'chosen by the host, the model or the server',
    description:
      'How requests are written: `generic`, a server such as `azure` or `vllm`, a model family such as `gpt-5`, or both as in `azure+gpt-5`. See docs/models.md.',
  }),
  llmCompat: setting('LLM_COMPAT', text(65_536), {
    unset: 'nothing',
    description:
      'Rules in the place of those of the profile, as a JSON object such as `{"limit":"max_completion_tokens"}`. See docs/models.md.',
  }),
  llmHeaders: setting('LLM_HEADERS', text(65_536), {
    unset: 'none',
    secret: true,
    description:
      'Further headers of every request to the model server, as a JSON object of texts such as `{"HTTP-Referer":"https://chat.example.org"}`.',
  }),
  llmModels: setting('LLM_MODELS', text(65_536), {
    unset: 'none',
    secret: true,
    description:
      'Further models by name, for agents that choose one: a JSON object such as `{"fast":{"baseUrl":"http://127.0.0.1:11434/v1","model":"qwen3:8b"},"smart":{"provider":"anthropic","model":"claude-sonnet-5","apiKeyFile":"/run/secrets/anthropic","agents":["research-*"]}}`, or the path of a file with one. Without LLM_BASE_URL and LLM_PROVIDER, the first one is the model of all other agents. See docs/models.md.',
  }),
  dashscopeApiKey: setting('DASHSCOPE_API_KEY', token(4096), {
    unset: 'not set',
    secret: true,
    description: 'A DashScope key. On its own it selects the base URL of DashScope and `qwen-plus`.',
  }),
  openaiApiKey: setting('OPENAI_API_KEY', token(4096), {
    unset: 'not set',
    secret: true,
    description: 'An OpenAI key. On its own it selects OpenAI, through its Responses API if the package is installed.',
  }),
  anthropicApiKey: setting('ANTHROPIC_API_KEY', token(4096), {
    unset: 'not set',
    secret: true,
    description: 'An Anthropic key. On its own it selects Anthropic.',
  }),
  geminiApiKey: setting('GEMINI_API_KEY', token(4096), {
    unset: 'not set',
    secret: true,
    description: 'A key of the Gemini API. On its own it selects Google.',
  }),
  deepseekApiKey: setting('DEEPSEEK_API_KEY', token(4096), {
    unset: 'not set',
    secret: true,
    description: 'A DeepSeek key. On its own it selects DeepSeek.',
  }),
  openrouterApiKey: setting('OPENROUTER_API_KEY', token(4096), {
    unset: 'not set',
    secret: true,
    description: 'An OpenRouter key. On its own it selects OpenRouter.',
  }),
  triesAtStart: setting('LLM_START_CHECK', flag(), {
    default: true,
    description:
      'Whether a server that starts asks each configured model for one word, in the background, and logs whether it answers. It is one small request for each, and is not repeated.',
  }),
  firstTokenTimeoutMs: setting('LLM_FIRST_TOKEN_TIMEOUT_MS', milliseconds({ min: 10, max: HOUR_MS }), {
    default: 60_000,
    description: 'How long to wait for the first chunk of a model response.',
  }),
  idleTimeoutMs: setting('LLM_IDLE_TIMEOUT_MS', milliseconds({ min: 10, max: HOUR_MS }), {
    default: 60_000,
    description: 'How long to wait between two chunks of a model response.',
  }),
  commentsTimeoutMs: setting('LLM_COMMENTS_TIMEOUT_MS', milliseconds({ min: 10, max: DAY_MS }), {
    default: 600_000,
    description:
      'How long a model call waits while the server sends nothing but comments or other signs of life. They do not extend the waits for chunks beyond this.',
  }),
  maxRetries: setting('LLM_MAX_RETRIES', integer({ min: 0, max: 10 }), {
    default: 2,
    description: 'How often a model call is repeated if it fails before its first chunk.',
  }),
  maxConnections: setting('LLM_MAX_CONNECTIONS', integer({ min: 1, max: 100_000 }), {
    unset: 'no limit',
    description: 'Connections to the model server. A model call takes one; further calls wait for a free one.',
  }),
  keepAliveMs: setting('LLM_KEEP_ALIVE_MS', milliseconds({ min: 1, max: HOUR_MS }), {
    default: 4000,
    description:
      'How long an unused connection to the model server is kept open. It must be less than the keep-alive time of that server.',
  }),
}) {
  readonly #keys = {
    DASHSCOPE_API_KEY: this.dashscopeApiKey,
    OPENAI_API_KEY: this.openaiApiKey,
    ANTHROPIC_API_KEY: this.anthropicApiKey,
    GEMINI_API_KEY: this.geminiApiKey,
    DEEPSEEK_API_KEY: this.deepseekApiKey,
    OPENROUTER_API_KEY: this.openrouterApiKey,
  };
  readonly #named = readNamedModels(this.llmModels, { env: this.source.env, keys: this.#keys });
  readonly #compat = readCompat(this.llmCompat);
  readonly #headers = readHeaders(this.llmHeaders);
  readonly #providerOptions = readProviderOptions(this.llmProviderOptions);

  /** Whether a model of LLM_MODELS is the one of agents that name none. */
  readonly #isFirstMain =
    this.llmModels !== undefined && this.llmProvider === undefined && this.llmBaseUrl === undefined;

  readonly #selection = selectModel({
    llmProvider: this.llmProvider,
    llmBaseUrl: this.llmBaseUrl,
    llmApiKey: this.llmApiKey,
    llmModel: this.llmModel,
    // The keys of a server with LLM_MODELS are for its models.
    keys: this.#isFirstMain ? {} : this.#keys,
  });

  /** The models of `LLM_MODELS`, in its order. */
  readonly named: readonly NamedModel[] = this.#named.models;

  /** The model of requests and agents that name none. */
  readonly main: ConfiguredModel = (this.#isFirstMain ? this.named[0] : undefined) ?? {
    server: this.#selection.server,
    profile: this.llmProfile,
    compat: this.#compat.value,
    headers: this.#headers.value ?? {},
    providerOptions: this.#providerOptions.value ?? {},
  };

  /** The model server of `main`. */
  get server(): ModelServer {
    return this.main.server;
  }

  override problems(unusable: ReadonlySet<string>): readonly ConfigurationProblem[] {
    const selection = unusable.has('LLM_BASE_URL') ? [] : this.#selection.problems;
    return [
      ...selection,
      ...this.#compat.problems,
      ...this.#headers.problems,
      ...this.#providerOptions.problems,
      ...this.#named.problems,
      ...(this.#isFirstMain ? this.#ownerless() : []),
    ];
  }

  override warnings(): readonly string[] {
    const keys = Object.entries<string | undefined>(this.#keys);
    const used = keys.filter(([, key]) => key !== undefined && this.named.some(({ server }) => server.apiKey === key));
    return this.#selection.warnings.filter(
      (warning) => !used.some(([name]) => warning.startsWith(`${name} is not used`)),
    );
  }

  /** Settings of the single model server, of which there is none. */
  #ownerless(): readonly ConfigurationProblem[] {
    const given = {
      LLM_PROFILE: this.llmProfile,
      LLM_COMPAT: this.llmCompat,
      LLM_HEADERS: this.llmHeaders,
      LLM_PROVIDER_OPTIONS: this.llmProviderOptions,
    };
    return Object.entries(given)
      .filter(([, value]) => value !== undefined)
      .map(([name]) => ({
        name,
        message: 'is for the server at LLM_BASE_URL or of LLM_PROVIDER, which are not set: write it into LLM_MODELS',
      }));
  }
}
