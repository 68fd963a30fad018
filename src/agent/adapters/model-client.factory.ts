import type { AttachmentReader } from '../attachment/index.js';
import type { ModelSettings } from '../model.settings.js';
import type { ConfiguredModel } from '../named-models.js';
import { ModelClient } from '../ports/model-client.js';
import type { LanguageModelSource, Models, ModelSource, NamedClient } from '../ports/models.js';
import { addressOf } from './upstream/call-failures.js';
import { isNativeInstalled, nativeModels } from './ai-sdk/native-model.js';
import { AiSdkModelClient, type AiSdkSettings } from './ai-sdk/ai-sdk-model-client.js';
import { type DialectClues, familyIn } from './ai-sdk/native-dialects.js';
import { ruleOverrides } from './chat-completions/profiles/rule-overrides.js';
import { ChatCompletionsModelClient } from './chat-completions/chat-completions-model-client.js';
import { ConfiguredModels } from './configured-models.js';

/** Options of providers by their names, such as `{anthropic: {thinking: {type: 'enabled', budgetTokens: 4000}}}`. */
export type ProviderOptions = NonNullable<AiSdkSettings['providerOptions']>;

/** The models that are given in code. */
export interface GivenModels {
  /** Answers instead of the configured model server. */
  readonly model?: ModelSource | undefined;
  /** Models by name, for agents that choose one. */
  readonly models?: Readonly<Record<string, ModelSource>> | undefined;
  /** For every call of a model of the AI SDK. */
  readonly providerOptions?: ProviderOptions | undefined;
  /** True: `model` answers for all agents but those that choose one of `models`. For tests. */
  readonly isModelForAll?: boolean | undefined;
}

/** What all clients of a process have in common. */
interface Common {
  readonly settings: ModelSettings;
  readonly attachments: AttachmentReader;
  readonly providerOptions: ProviderOptions;
}

/**
 * The client of the given model, or of the configured model server. It sends nothing yet.
 *
 * @param attachments the images of prompts
 * @param providerOptions for every call of a model of the AI SDK; they precede those of the settings, and win over what
 *   requests ask for
 * @throws StartupError if `LLM_PROFILE` or `LLM_COMPAT` cannot be used
 */
export function createModelClient(
  settings: ModelSettings,
  attachments: AttachmentReader,
  source?: ModelSource,
  providerOptions: ProviderOptions = {},
): ModelClient {
  const common = { settings, attachments, providerOptions };
  return source ? givenClient(source, settings.main.providerOptions, common) : configuredClient(settings.main, common);
}

/** The client of one configured model. It sends nothing yet. @throws StartupError as `createModelClient` */
export function createConfiguredClient(
  configured: ConfiguredModel,
  settings: ModelSettings,
  attachments: AttachmentReader,
): ModelClient {
  return configuredClient(configured, { settings, attachments, providerOptions: {} });
}

/**
 * All models of a process: the main one, those of `LLM_MODELS`, and those that are given in code, which precede the ones of
 * `LLM_MODELS` with the same name.
 *
 * @param main the model of agents that name none
 * @throws StartupError as `createModelClient`, for each of them
 */
export function createModels(
  main: ModelClient,
  settings: ModelSettings,
  attachments: AttachmentReader,
  { model, models = {}, providerOptions = {}, isModelForAll = false }: GivenModels,
): Models {
  const common = { settings, attachments, providerOptions };
  const create = (source: ModelSource): ModelClient =>
    source === model ? main : givenClient(source, settings.main.providerOptions, common);
  const configured = settings.named.map((one): NamedClient => {
    const { name, agents } = one;
    const source = models[name];
    if (source) return { name, agents, client: create(source) };
    const isMain = isModelForAll || (one === settings.main && model === undefined);
    return { name, agents, client: isMain ? main : configuredClient(one, common) };
  });
  const others = Object.entries(models)
    .filter(([name]) => !configured.some((one) => one.name === name))
    .map(([name, source]): NamedClient => ({ name, agents: undefined, client: create(source) }));
  return new ConfiguredModels({ main, named: [...configured, ...others], create, isMainForAll: isModelForAll });
}

function givenClient(
  source: ModelSource,
  settingsOptions: ProviderOptions,
  { settings, attachments, providerOptions }: Common,
): ModelClient {
  if (source instanceof ModelClient) return source;
  return sdkClient(source, { ...settingsOptions, ...providerOptions }, { settings, attachments });
}

function sdkClient(
  source: LanguageModelSource,
  providerOptions: ProviderOptions,
  { settings, attachments }: Pick<Common, 'settings' | 'attachments'>,
  known: Partial<ReturnType<typeof knownOf>> = {},
): ModelClient {
  return new AiSdkModelClient(source, { ...limitsOf(settings), ...known, providerOptions }, attachments);
}

function configuredClient(configured: ConfiguredModel, common: Common): ModelClient {
  const { settings, attachments } = common;
  const native = nativeSource(configured, settings);
  if (native) {
    const options = { ...configured.providerOptions, ...common.providerOptions };
    return sdkClient(native, options, common, knownOf(configured));
  }
  const { maxConnections, keepAliveMs } = settings;
  const { server, headers } = configured;
  const { baseUrl, apiKey, model } = server;
  const provider = providerName(baseUrl);
  const connections = { maxConnections, keepAliveMs };
  const writing = { ...writingOf(configured), headers };
  return new ChatCompletionsModelClient(
    { provider, baseUrl, apiKey, model, ...limitsOf(settings), ...connections, ...writing },
    attachments,
  );
}

function limitsOf(settings: ModelSettings): Omit<AiSdkSettings, 'providerOptions'> {
  const { firstTokenTimeoutMs, idleTimeoutMs, commentsTimeoutMs, maxRetries } = settings;
  return { firstTokenTimeoutMs, idleTimeoutMs, commentsTimeoutMs, maxRetries };
}

/** How the settings say that requests are written. @throws StartupError for rules that cannot be used */
function writingOf({ name, profile, compat }: ConfiguredModel): DialectClues {
  const overrides = compat && ruleOverrides(compat, name === undefined ? 'LLM_COMPAT' : `LLM_MODELS ${name}.compat`);
  const profileSetting = name === undefined ? 'LLM_PROFILE' : `LLM_MODELS ${name}.profile`;
  return { profile, profileSetting, overrides };
}

/** What is known of the requests that a package of a provider sends. */
function knownOf(configured: ConfiguredModel): Pick<AiSdkSettings, 'headers' | 'address' | keyof DialectClues> {
  const { server, headers } = configured;
  const { apiKey, baseUrl, isAddressGiven = false } = server;
  return {
    ...writingOf(configured),
    headers: { ...(apiKey !== undefined && { authorization: apiKey }), ...headers },
    ...(isAddressGiven && { address: addressOf(new URL(baseUrl)) }),
  };
}

/** The models of the provider that the settings choose; undefined if it is called through Chat Completions. */
function nativeSource(
  configured: ConfiguredModel,
  { maxConnections, keepAliveMs }: ModelSettings,
): LanguageModelSource | undefined {
  const { server, headers } = configured;
  if (server.kind !== 'native') return undefined;
  // A key alone also selects the Chat Completions API of its provider, which needs no package.
  if (server.isProviderNamed === false && !isNativeInstalled(server)) return undefined;
  const connections = {
    ...(maxConnections !== undefined && { connections: maxConnections }),
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
  };
  return nativeModels(server, headers, connections, familyIn(writingOf(configured)));
}

/** A short name for well-known hosts, else the host itself. */
function providerName(baseUrl: string): string {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : baseUrl;
  if (/(^|\.)dashscope(-\w+)?\./.test(host)) return 'dashscope';
  if (/(^|\.)openai\.com$/.test(host)) return 'openai';
  return host;
}
