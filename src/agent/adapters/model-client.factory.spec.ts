import { createModelClient } from './model-client.factory.js';

const model = {
  kind: 'openai-compatible' as const,
  apiKey: undefined,
  model: 'm',
  firstTokenTimeoutMs: 1,
  idleTimeoutMs: 1,
  maxRetries: 0,
};

const NO_ATTACHMENTS = { read: () => Promise.resolve(undefined) };

describe('createModelClient', () => {
  it.each([
    ['https://dashscope.aliyuncs.com/compatible-mode/v1', 'dashscope'],
    ['https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'dashscope'],
    ['https://api.openai.com/v1', 'openai'],
    ['http://localhost:11434/v1', 'localhost'],
  ])('names the provider at %s: %s', (baseUrl, provider) => {
    expect(createModelClient({ model: { ...model, baseUrl } }, NO_ATTACHMENTS).provider).toBe(provider);
  });
});
