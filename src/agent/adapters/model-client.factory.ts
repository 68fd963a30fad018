import type { AttachmentReader } from '../../attachment/index.js';
import type { AppConfig } from '../../config/index.js';
import type { ModelClient } from '../ports/model-client.js';
import { ChatCompletionsModelClient } from './chat-completions/chat-completions-model-client.js';

/** The client of the configured model server. Nothing is called yet. @param attachments the images of prompts */
export function createModelClient(config: Pick<AppConfig, 'model'>, attachments: AttachmentReader): ModelClient {
  const { baseUrl, apiKey, model, firstTokenTimeoutMs, idleTimeoutMs, maxRetries } = config.model;
  const provider = providerName(baseUrl);
  const settings = {
    provider,
    baseUrl,
    apiKey,
    model,
    firstTokenTimeoutMs,
    idleTimeoutMs,
    maxRetries,
  };
  return new ChatCompletionsModelClient(settings, attachments);
}

/** A short name for well-known hosts, else the host itself. */
function providerName(baseUrl: string): string {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : baseUrl;
  if (/(^|\.)dashscope(-\w+)?\./.test(host)) return 'dashscope';
  if (/(^|\.)openai\.com$/.test(host)) return 'openai';
  return host;
}
