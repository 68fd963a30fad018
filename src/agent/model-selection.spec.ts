import { readSettings } from '../config/index.js';
import { ModelSettings } from './model.settings.js';

const DASHSCOPE = 'https://dashscope.aliyuncs.com/compatible-mode/v1';
const OPENAI = 'https://api.openai.com/v1';
const NATIVE = { kind: 'native', isProviderNamed: false, isAddressGiven: false };
const OPENAI_NATIVE = { ...NATIVE, provider: 'openai', reason: 'OPENAI_API_KEY' };
const CHAT = { kind: 'openai-compatible' };
const ADDRESS = { ...CHAT, reason: 'LLM_BASE_URL' };

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
      reason: 'the absence of a model',
      warnings: 0,
    });
  });

  it.each([
    [{ DASHSCOPE_API_KEY: 'k' }, DASHSCOPE, 'k', 'qwen-plus', 0, { ...CHAT, reason: 'DASHSCOPE_API_KEY' }],
    [{ OPENAI_API_KEY: 'k' }, OPENAI, 'k', 'gpt-5.4-mini', 0, OPENAI_NATIVE],
    [
      { ANTHROPIC_API_KEY: 'k' },
      'https://api.anthropic.com/v1',
      'k',
      'claude-sonnet-5',
      0,
      { ...NATIVE, provider: 'anthropic', reason: 'ANTHROPIC_API_KEY' },
    ],
    [
      { GEMINI_API_KEY: 'k' },
      'https://generativelanguage.googleapis.com/v1beta/openai',
      'k',
      'gemini-flash-latest',
      0,
      { ...NATIVE, provider: 'google', reason: 'GEMINI_API_KEY' },
    ],
    [
      { DEEPSEEK_API_KEY: 'k' },
      'https://api.deepseek.com',
      'k',
      'deepseek-v4-flash',
      0,
      { ...CHAT, reason: 'DEEPSEEK_API_KEY' },
    ],
    [
      { OPENROUTER_API_KEY: 'k' },
      'https://openrouter.ai/api/v1',
      'k',
      'openrouter/auto',
      0,
      { ...CHAT, reason: 'OPENROUTER_API_KEY' },
    ],
    [
      { DASHSCOPE_API_KEY: 'k', OPENAI_API_KEY: 'o' },
      DASHSCOPE,
      'k',
      'qwen-plus',
      1,
      { ...CHAT, reason: 'DASHSCOPE_API_KEY' },
    ],
    [{ OPENAI_API_KEY: 'k', LLM_MODEL: 'gpt-x' }, OPENAI, 'k', 'gpt-x', 0, OPENAI_NATIVE],
    [{ OPENAI_API_KEY: 'k', LLM_API_KEY: 'l' }, OPENAI, 'l', 'gpt-5.4-mini', 0, OPENAI_NATIVE],
    [
      {
        LLM_PROVIDER: 'anthropic',
        LLM_BASE_URL: 'http://127.0.0.1:1/v1/',
        ANTHROPIC_API_KEY: 'k',
        OPENAI_API_KEY: 'o',
      },
      'http://127.0.0.1:1/v1',
      'k',
      'claude-sonnet-5',
      1,
      {
        kind: 'native',
        provider: 'anthropic',
        isProviderNamed: true,
        isAddressGiven: true,
        reason: 'LLM_PROVIDER=anthropic',
      },
    ],
    [{ LLM_BASE_URL: 'http://127.0.0.1:1/v1/', LLM_MODEL: 'm' }, 'http://127.0.0.1:1/v1', undefined, 'm', 0, ADDRESS],
    [
      { LLM_BASE_URL: 'http://127.0.0.1:1/v1', LLM_API_KEY: 'l' },
      'http://127.0.0.1:1/v1',
      'l',
      'gpt-4o-mini',
      1,
      ADDRESS,
    ],
    [{ LLM_BASE_URL: 'http://a.test/v1/?v=/', LLM_MODEL: 'm' }, 'http://a.test/v1?v=/', undefined, 'm', 0, ADDRESS],
    [{ LLM_BASE_URL: 'http://a.test?v=/', LLM_MODEL: 'm' }, 'http://a.test?v=/', undefined, 'm', 0, ADDRESS],
    [{ LLM_BASE_URL: DASHSCOPE, DASHSCOPE_API_KEY: 'k' }, DASHSCOPE, 'k', 'qwen-plus', 0, ADDRESS],
  ])('the model is selected by %j', (env, ...[baseUrl, apiKey, model, warnings, more]) => {
    expect(selected(env as unknown as Record<string, string>)).toEqual({
      ...(more as object),
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

  it('a provider without a default model needs one', () => {
    expect(() => readSettings(ModelSettings, { LLM_PROVIDER: 'azure' })).toThrow(
      'LLM_MODEL must be set, because LLM_PROVIDER is azure',
    );
    expect(() => readSettings(ModelSettings, { LLM_PROVIDER: 'openrouter', LLM_API_KEY: 'k' })).not.toThrow();
    expect(() => readSettings(ModelSettings, { LLM_PROVIDER: 'acme' })).toThrow(
      'LLM_PROVIDER must be one of dashscope',
    );
  });

  it('a model without a server is refused: the demo model would answer in its place', () => {
    expect(() => readSettings(ModelSettings, { LLM_MODEL: 'm' })).toThrow(
      'LLM_MODEL must be set together with LLM_BASE_URL or with the key of a provider, such as OPENAI_API_KEY',
    );
  });
});
