import { createModelClient } from './model-client.factory.js';

const model = { apiKey: undefined, model: 'm', firstTokenTimeoutMs: 1, idleTimeoutMs: 1, maxRetries: 0 };

const NO_ATTACHMENTS = { read: () => Promise.resolve(undefined) };

describe('createModelClient', () => {
  it.each([
    ['offline', '', 'offline'],
    ['openai-compatible', 'https://dashscope.aliyuncs.com/compatible-mode/v1', 'dashscope'],
    ['openai-compatible', 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'dashscope'],
    ['openai-compatible', 'https://api.openai.com/v1', 'openai'],
    ['openai-compatible', 'http://localhost:11434/v1', 'localhost'],
  ] as const)('%s at "%s" is %s', (kind, baseUrl, provider) => {
    expect(createModelClient({ model: { ...model, kind, baseUrl } }, NO_ATTACHMENTS).provider).toBe(provider);
  });
});
