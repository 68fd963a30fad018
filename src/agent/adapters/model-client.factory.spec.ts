import { readSettings } from '../../config/index.js';
import { ModelSettings } from '../model.settings.js';
import { createModelClient } from './model-client.factory.js';

const NO_ATTACHMENTS = { read: () => Promise.resolve(undefined) };

describe('createModelClient', () => {
  it.each([
    ['https://dashscope.aliyuncs.com/compatible-mode/v1', 'dashscope'],
    ['https://dashscope-intl.aliyuncs.com/compatible-mode/v1', 'dashscope'],
    ['https://api.openai.com/v1', 'openai'],
    ['http://localhost:11434/v1', 'localhost'],
  ])('the provider at %s is named: %s', (baseUrl, provider) => {
    expect(createModelClient(readSettings(ModelSettings, { LLM_BASE_URL: baseUrl }), NO_ATTACHMENTS).provider).toBe(
      provider,
    );
  });
});
