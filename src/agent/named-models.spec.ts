import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '../config/index.js';
import { ModelSettings } from './model.settings.js';

const URL = 'http://127.0.0.1:1/v1';
const read = (models: unknown, env: NodeJS.ProcessEnv = {}): ModelSettings =>
  readSettings(ModelSettings, { LLM_MODELS: JSON.stringify(models), ...env });

describe('LLM_MODELS', () => {
  let folder: string;

  beforeAll(() => (folder = mkdtempSync(join(tmpdir(), 'parley-models-'))));
  afterAll(() => rmSync(folder, { recursive: true }));

  function file(name: string, content: string): string {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  }

  it('a model has the members of the single settings', () => {
    const { named } = read(
      {
        fast: {
          baseUrl: `${URL}/`,
          model: 'qwen3:8b',
          apiKey: 'k1',
          profile: 'vllm',
          compat: { limit: 'max_tokens' },
          headers: { 'X-Title': 'Parley' },
          agents: ['orders', 'research-*'],
        },
        smart: { provider: 'anthropic', apiKeyEnv: 'CLAUDE_KEY', providerOptions: { anthropic: { effort: 'high' } } },
      },
      { CLAUDE_KEY: 'k2' },
    );
    expect(named).toEqual([
      {
        name: 'fast',
        server: { kind: 'openai-compatible', baseUrl: URL, apiKey: 'k1', model: 'qwen3:8b', reason: 'LLM_MODELS fast' },
        profile: 'vllm',
        compat: { limit: 'max_tokens' },
        headers: { 'X-Title': 'Parley' },
        providerOptions: {},
        agents: ['orders', 'research-*'],
      },
      expect.objectContaining({
        name: 'smart',
        server: expect.objectContaining({ kind: 'native', model: 'claude-sonnet-5', apiKey: 'k2' }) as object,
        providerOptions: { anthropic: { effort: 'high' } },
        agents: undefined,
      }),
    ]);
  });

  it('a file may hold the models, and another one a key', () => {
    const key = file('key', 'k3\n');
    const models = file('models.json', JSON.stringify({ fast: { baseUrl: URL, model: 'm', apiKeyFile: key } }));
    const { named } = readSettings(ModelSettings, { LLM_MODELS: models });
    expect(named.map(({ name, server }) => [name, server.apiKey])).toEqual([['fast', 'k3']]);
  });

  it('a provider without a key takes the one of its variable', () => {
    const env = { DEEPSEEK_API_KEY: 'k4', LLM_BASE_URL: URL, LLM_MODEL: 'm' };
    const settings = read({ deep: { provider: 'deepseek' } }, env);
    expect(settings.named[0]?.server).toMatchObject({ apiKey: 'k4', model: 'deepseek-v4-flash' });
    expect([settings.server.apiKey, settings.warnings()]).toEqual([undefined, []]);
  });

  it('without a single server the first model answers; the key of a provider does not choose another one', () => {
    const models = { fast: { baseUrl: URL, model: 'm' }, smart: { provider: 'openai' } };
    expect(read(models, { OPENAI_API_KEY: 'k' }).main).toMatchObject({ name: 'fast', server: { model: 'm' } });
    const single = read(models, { OPENAI_API_KEY: 'k', LLM_BASE_URL: 'http://127.0.0.1:2', LLM_MODEL: 'main' });
    expect(single.main).toMatchObject({ server: { baseUrl: 'http://127.0.0.1:2', model: 'main' } });
    expect(single.warnings()).toEqual([]);
  });

  it.each([
    ['{"fast":', /LLM_MODELS must be valid JSON/],
    ['[]', /LLM_MODELS must be a JSON object, or name a file with one/],
    ['{}', /LLM_MODELS must have at least one model/],
    ['/nowhere/models.json', /LLM_MODELS names the file "\/nowhere\/models.json", which cannot be read \(ENOENT\)/],
    ['{"a b":{}}', /LLM_MODELS has the name "a b": names have 1 to 64 letters/],
    ['{"fast":"s3cret"}', /LLM_MODELS fast must be an object/],
    ['{"fast":{}}', /LLM_MODELS fast must have a baseUrl or a provider/],
    [`{"fast":{"baseUrl":"${URL}"}}`, /LLM_MODELS fast must have a model/],
    ['{"fast":{"provider":"azure"}}', /LLM_MODELS fast must have a model/],
    ['{"fast":{"provider":"acme","model":"m"}}', /LLM_MODELS fast\.provider must be one of dashscope, .*, not "acme"/],
    [
      '{"fast":{"baseUrl":"s3cret","model":"m"}}',
      /LLM_MODELS fast\.baseUrl must be an http:\/\/ or https:\/\/ address/,
    ],
    [`{"fast":{"baseURL":"${URL}","model":"m"}}`, /LLM_MODELS fast\.baseURL does not exist: use provider, baseUrl/],
    [`{"fast":{"baseUrl":"${URL}","model":"m","apiKey":"s3 cret"}}`, /LLM_MODELS fast\.apiKey must be a text/],
    [
      `{"fast":{"baseUrl":"${URL}","model":"m","apiKeyEnv":"NO_KEY"}}`,
      /fast\.apiKeyEnv names the variable NO_KEY, which is not set/,
    ],
    [
      `{"fast":{"baseUrl":"${URL}","model":"m","apiKeyFile":"/nowhere/key"}}`,
      /fast\.apiKeyFile names the file "\/nowhere\/key", which cannot be read/,
    ],
    [
      `{"fast":{"baseUrl":"${URL}","model":"m","apiKey":"s3cret","apiKeyEnv":"PATH"}}`,
      /fast\.apiKey must not be set together with apiKeyEnv/,
    ],
    [
      `{"fast":{"baseUrl":"${URL}","model":"m","headers":{"x":1}}}`,
      /fast\.headers must have a text of one line for the header x/,
    ],
    [`{"fast":{"baseUrl":"${URL}","model":"m","compat":[]}}`, /fast\.compat must be an object/],
    [`{"fast":{"baseUrl":"${URL}","model":"m","agents":"orders"}}`, /fast\.agents must be a list of agent types/],
  ])('%s is refused without a secret', (models, message) => {
    const reading = (): unknown => readSettings(ModelSettings, { LLM_MODELS: models });
    expect(reading).toThrow(message);
    expect(reading).toThrow(/^((?!s3cret|s3 cret)[\s\S])*$/);
  });

  it('settings of a single server without one are refused', () => {
    expect(() => read({ fast: { baseUrl: URL, model: 'm' } }, { LLM_HEADERS: '{"x":"s3cret"}' })).toThrow(
      'LLM_HEADERS is for the server at LLM_BASE_URL or of LLM_PROVIDER, which are not set: write it into LLM_MODELS',
    );
  });
});
