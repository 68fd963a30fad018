import { readSettings } from '../../../config/index.js';
import { MODEL_PROVIDER_NAMES, modelProvider } from '../../model-providers.js';
import { ModelSettings } from '../../model.settings.js';
import { collect, request } from '../testing/collect.js';
import { strictServer, type StrictServer } from '../testing/strict-server.js';
import { createModelClient } from '../model-client.factory.js';
import { AiSdkModelClient } from './ai-sdk-model-client.js';

const NO_ATTACHMENTS = { read: () => Promise.resolve(undefined) };
const NATIVE = MODEL_PROVIDER_NAMES.filter((name) => modelProvider(name).native !== undefined);

describe('the packages of all providers', () => {
  let server: StrictServer | undefined;

  beforeEach(() => {
    // Where the packages look for what the settings do not give.
    Object.assign(process.env, {
      GOOGLE_VERTEX_PROJECT: 'p',
      GOOGLE_VERTEX_LOCATION: 'global',
      AWS_REGION: 'eu-north-1',
    });
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
    for (const name of ['GOOGLE_VERTEX_PROJECT', 'GOOGLE_VERTEX_LOCATION', 'AWS_REGION']) delete process.env[name];
  });

  it.each(NATIVE)('%s has models of the interface version that Parley needs', (LLM_PROVIDER) => {
    const env = { LLM_PROVIDER, LLM_API_KEY: 'k', LLM_MODEL: 'some-model', LLM_BASE_URL: 'http://127.0.0.1:9/v1' };
    const client = createModelClient(readSettings(ModelSettings, env), NO_ATTACHMENTS);
    expect(client).toBeInstanceOf(AiSdkModelClient);
    expect(client.info.name).toBe('some-model');
  });

  it.each(['mistral', 'groq'])('%s answers', async (LLM_PROVIDER) => {
    server = await strictServer();
    const env = { LLM_PROVIDER, LLM_API_KEY: 'k', LLM_BASE_URL: server.url };
    const client = createModelClient(readSettings(ModelSettings, env), NO_ATTACHMENTS);
    expect((await collect(client, request('Hi'))).text).toBe('ok');
    expect(server.headers[0]).toMatchObject({ authorization: 'Bearer k' });
  });
});
