import type { AttachmentReader } from '../../attachment/index.js';
import type { ModelSettings } from '../model.settings.js';
import { ModelClient } from '../ports/model-client.js';
import { addressOf } from './upstream/call-failures.js';
import { isNativeInstalled, nativeModels } from './ai-sdk/native-model.js';
import { AiSdkModelClient, type AiSdkSettings, type LanguageModelSource } from './ai-sdk/ai-sdk-model-client.js';
import { ruleOverrides } from './chat-completions/profiles/rule-overrides.js';
import { ChatCompletionsModelClient } from './chat-completions/chat-completions-model-client.js';

/** Options of providers by their names, such as `{anthropic: {thinking: {type: 'enabled', budgetTokens: 4000}}}`. */
export type ProviderOptions = NonNullable<AiSdkSettings['providerOptions']>;

/** A model that is given in code: one of a provider package of the AI SDK, or a client of the team's own. */
export type ModelSource = LanguageModelSource | ModelClient;

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
  if (source instanceof ModelClient) return source;
  const { server, firstTokenTimeoutMs, idleTimeoutMs, commentsTimeoutMs } = settings;
  const { maxRetries, maxConnections, keepAliveMs } = settings;
  const limits = { firstTokenTimeoutMs, idleTimeoutMs, commentsTimeoutMs, maxRetries };
  const native = source ?? nativeSource(settings);
  if (native) {
    const options = { ...settings.providerOptions, ...providerOptions };
    const known = source === undefined ? knownOf(settings) : {};
    return new AiSdkModelClient(native, { ...limits, ...known, providerOptions: options }, attachments);
  }
  const { baseUrl, apiKey, model } = server;
  const provider = providerName(baseUrl);
  const connections = { maxConnections, keepAliveMs };
  const { llmProfile: profile, compat, headers } = settings;
  const writing = { profile, headers, overrides: compat && ruleOverrides(compat) };
  return new ChatCompletionsModelClient(
    { provider, baseUrl, apiKey, model, ...limits, ...connections, ...writing },
    attachments,
  );
}

/** What is known of the requests that a package of a provider sends. */
function knownOf({ server, headers }: ModelSettings): Pick<AiSdkSettings, 'headers' | 'address'> {
  const { apiKey, baseUrl, isAddressGiven = false } = server;
  return {
    headers: { ...(apiKey !== undefined && { authorization: apiKey }), ...headers },
    ...(isAddressGiven && { address: addressOf(new URL(baseUrl)) }),
  };
}

/** The models of the provider that the settings choose; undefined if it is called through Chat Completions. */
function nativeSource({
  server,
  headers,
  maxConnections,
  keepAliveMs,
}: ModelSettings): LanguageModelSource | undefined {
  if (server.kind !== 'native') return undefined;
  // A key alone also selects the Chat Completions API of its provider, which needs no package.
  if (server.isProviderNamed === false && !isNativeInstalled(server)) return undefined;
  return nativeModels(server, headers, {
    ...(maxConnections !== undefined && { connections: maxConnections }),
    keepAliveTimeout: keepAliveMs,
    keepAliveMaxTimeout: keepAliveMs,
  });
}

/** A short name for well-known hosts, else the host itself. */
function providerName(baseUrl: string): string {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : baseUrl;
  if (/(^|\.)dashscope(-\w+)?\./.test(host)) return 'dashscope';
  if (/(^|\.)openai\.com$/.test(host)) return 'openai';
  return host;
}
