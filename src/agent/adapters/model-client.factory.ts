import type { AttachmentReader } from '../../attachment/index.js';
import type { ModelSettings } from '../model.settings.js';
import type { ModelClient } from '../ports/model-client.js';
import { ChatCompletionsModelClient } from './chat-completions/chat-completions-model-client.js';

/** The client of the configured model server. It sends nothing yet. @param attachments the images of prompts */
export function createModelClient(settings: ModelSettings, attachments: AttachmentReader): ModelClient {
  const { server, firstTokenTimeoutMs, idleTimeoutMs, maxRetries, maxConnections, keepAliveMs } = settings;
  const { baseUrl, apiKey, model } = server;
  const provider = providerName(baseUrl);
  const patience = { firstTokenTimeoutMs, idleTimeoutMs, maxRetries };
  const connections = { maxConnections, keepAliveMs };
  return new ChatCompletionsModelClient({ provider, baseUrl, apiKey, model, ...patience, ...connections }, attachments);
}

/** A short name for well-known hosts, else the host itself. */
function providerName(baseUrl: string): string {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : baseUrl;
  if (/(^|\.)dashscope(-\w+)?\./.test(host)) return 'dashscope';
  if (/(^|\.)openai\.com$/.test(host)) return 'openai';
  return host;
}
