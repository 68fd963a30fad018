import { readSettings } from '../config/index.js';
import { ModelSettings } from './model.settings.js';

const DASHSCOPE = 'https://dashscope.aliyuncs.com/compatible-mode/v1';
const OPENAI = 'https://api.openai.com/v1';

function selected(env: Record<string, string>): Record<string, unknown> {
  const settings = readSettings(ModelSettings, env);
  return { ...settings.server, warnings: settings.warnings().length };
}

describe('selectModel', () => {
  it('the offline model is selected without a key and an address', () => {
    expect(selected({})).toEqual({
      kind: 'offline',
      baseUrl: '',
      apiKey: undefined,
      model: 'offline-demo',
      warnings: 0,
    });
  });

  it.each([
    [{ DASHSCOPE_API_KEY: 'k' }, DASHSCOPE, 'k', 'qwen-plus', 0],
    [{ OPENAI_API_KEY: 'k' }, OPENAI, 'k', 'gpt-4o-mini', 0],
    [{ DASHSCOPE_API_KEY: 'k', OPENAI_API_KEY: 'o' }, DASHSCOPE, 'k', 'qwen-plus', 1],
    [{ OPENAI_API_KEY: 'k', LLM_MODEL: 'gpt-x' }, OPENAI, 'k', 'gpt-x', 0],
    [{ OPENAI_API_KEY: 'k', LLM_API_KEY: 'l' }, OPENAI, 'l', 'gpt-4o-mini', 0],
    [{ LLM_BASE_URL: 'http://127.0.0.1:1/v1/', LLM_MODEL: 'm' }, 'http://127.0.0.1:1/v1', undefined, 'm', 0],
    [{ LLM_BASE_URL: 'http://127.0.0.1:1/v1', LLM_API_KEY: 'l' }, 'http://127.0.0.1:1/v1', 'l', 'gpt-4o-mini', 1],
    [{ LLM_BASE_URL: 'http://a.test/v1/?v=/', LLM_MODEL: 'm' }, 'http://a.test/v1?v=/', undefined, 'm', 0],
    [{ LLM_BASE_URL: 'http://a.test?v=/', LLM_MODEL: 'm' }, 'http://a.test?v=/', undefined, 'm', 0],
    [{ LLM_BASE_URL: DASHSCOPE, DASHSCOPE_API_KEY: 'k' }, DASHSCOPE, 'k', 'qwen-plus', 0],
  ])('the model is selected by %j', (env, baseUrl, apiKey, model, warnings) => {
    expect(selected(env as Record<string, string>)).toEqual({
      kind: 'openai-compatible',
      baseUrl,
      apiKey,
      model,
      warnings,
    });
  });

  it('the key of a provider is never sent to another server', () => {
    const env = { LLM_BASE_URL: 'https://llm.example/v1', LLM_MODEL: 'm', OPENAI_API_KEY: 'o', DASHSCOPE_API_KEY: 'd' };
    expect(selected(env)).toMatchObject({ apiKey: undefined, warnings: 2 });
    expect(selected({ ...env, LLM_BASE_URL: 'https://api.openai.com.evil.example/v1' })).toMatchObject({
      apiKey: undefined,
    });
  });

  it('a key without a known provider is refused', () => {
    expect(() => readSettings(ModelSettings, { LLM_API_KEY: 'k' })).toThrow(
      'LLM_API_KEY must be set together with LLM_BASE_URL',
    );
  });

  it('a model without a server is refused: the demo model would answer in its place', () => {
    expect(() => readSettings(ModelSettings, { LLM_MODEL: 'm' })).toThrow(
      'LLM_MODEL must be set together with LLM_BASE_URL or with the key of a provider, such as OPENAI_API_KEY',
    );
  });
});
