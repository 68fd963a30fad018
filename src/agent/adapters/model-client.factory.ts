import type { AttachmentReader } from '../../attachment/index.js';
import type { ModelSettings } from '../model.settings.js';
import { ModelClient } from '../ports/model-client.js';
import { AiSdkModelClient, type LanguageModelSource } from './ai-sdk/ai-sdk-model-client.js';
import { ruleOverrides } from './chat-completions/profiles/rule-overrides.js';
import { ChatCompletionsModelClient } from './chat-completions/chat-completions-model-client.js';

/** A model that is given in code: one of a provider package of the AI SDK, or a client of the team's own. */
export type ModelSource = LanguageModelSource | ModelClient;

/**
 * The client of the given model, or of the configured model server. It sends nothing yet.
 *
 * @param attachments the images of prompts
 * @throws StartupError if `LLM_PROFILE` or `LLM_COMPAT` cannot be used
 */
export function createModelClient(
  settings: ModelSettings,
  attachments: AttachmentReader,
  source?: ModelSource,
): ModelClient {
  if (source instanceof ModelClient) return source;
  if (source) return new AiSdkModelClient(source, settings, attachments);
  const { server, firstTokenTimeoutMs, idleTimeoutMs, commentsTimeoutMs } = settings;
  const { maxRetries, maxConnections, keepAliveMs } = settings;
  const { baseUrl, apiKey, model } = server;
  const provider = providerName(baseUrl);
  const limits = { firstTokenTimeoutMs, idleTimeoutMs, commentsTimeoutMs, maxRetries };
  const connections = { maxConnections, keepAliveMs };
  const { llmProfile: profile, compat, headers } = settings;
  const writing = { profile, headers, overrides: compat && ruleOverrides(compat) };
  return new ChatCompletionsModelClient(
    { provider, baseUrl, apiKey, model, ...limits, ...connections, ...writing },
    attachments,
  );
}

/** A short name for well-known hosts, else the host itself. */
function providerName(baseUrl: string): string {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : baseUrl;
  if (/(^|\.)dashscope(-\w+)?\./.test(host)) return 'dashscope';
  if (/(^|\.)openai\.com$/.test(host)) return 'openai';
  return host;
}
