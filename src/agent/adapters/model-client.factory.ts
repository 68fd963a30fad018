import type { AttachmentReader } from '../../attachment/index.js';
import type { AppConfig } from '../../config/index.js';
import type { ModelClient } from '../ports/model-client.js';
import { OfflineModelClient } from './offline-model-client.js';
import { OpenAiCompatibleModelClient } from './openai-compatible-model-client.js';

/** The model client that the configuration asks for. Nothing is called yet. @param attachments the images of prompts */
export function createModelClient(config: Pick<AppConfig, 'model'>, attachments: AttachmentReader): ModelClient {
  const { kind, baseUrl, apiKey, model, firstTokenTimeoutMs, idleTimeoutMs, maxRetries } = config.model;
  if (kind === 'offline') return new OfflineModelClient();
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
  return new OpenAiCompatibleModelClient(settings, attachments);
}

/** A short name for well-known hosts, else the host itself. */
function providerName(baseUrl: string): string {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : baseUrl;
  if (/(^|\.)dashscope(-\w+)?\./.test(host)) return 'dashscope';
  if (/(^|\.)openai\.com$/.test(host)) return 'openai';
  return host;
}
