import { readSettings } from '../../../config/index.js';
import { ModelSettings } from '../../model.settings.js';
import { createModelClient } from '../model-client.factory.js';
import { collect, request } from '../testing/collect.js';
import { NATIVE_DOUBLES } from '../testing/native-doubles.js';
import { nativeServer, type NativeDoubleServer } from '../testing/native-server.js';

const NO_ATTACHMENTS = { read: () => Promise.resolve(undefined) };

let server: NativeDoubleServer;
afterEach(() => server.close());

describe('the address of a native provider', () => {
  it.each<[keyof typeof NATIVE_DOUBLES, string]>([
    ['openai', '/v1/responses'],
    ['anthropic', '/v1/messages'],
    ['google', '/v1beta/models/m:streamGenerateContent?alt=sse'],
    ['azure', '/openai/v1/responses'],
    ['mistral', '/v1/chat/completions'],
    ['groq', '/openai/v1/chat/completions'],
  ])('gets the path of %s if it has none', async (provider, path) => {
    server = await nativeServer(NATIVE_DOUBLES[provider]);
    const settings = readSettings(ModelSettings, {
      LLM_PROVIDER: provider,
      LLM_BASE_URL: new URL(server.url).origin,
      LLM_API_KEY: 'k',
      LLM_MODEL: 'm',
    });
    expect((await collect(createModelClient(settings, NO_ATTACHMENTS), request('hi'))).text).toBe('ok');
    expect(server.paths.at(-1)).toBe(path);
  });
});

describe('the profile of a native provider', () => {
  it('is that of LLM_PROFILE, and LLM_COMPAT replaces its rules', async () => {
    server = await nativeServer(NATIVE_DOUBLES.azure);
    const settings = readSettings(ModelSettings, {
      LLM_PROVIDER: 'azure',
      LLM_BASE_URL: server.url,
      LLM_API_KEY: 'k',
      LLM_MODEL: 'team-thinker',
      LLM_PROFILE: 'gpt-5',
      LLM_COMPAT: '{"omit":["max_tokens"]}',
    });
    const client = createModelClient(settings, NO_ATTACHMENTS);
    expect((await collect(client, request('hi', [], { temperature: 0.5, maxTokens: 9 }))).text).toBe('ok');
    expect([server.seen.length, server.seen[0]?.['max_output_tokens']]).toEqual([1, undefined]);
    expect(client.info.profile).toMatchObject({ name: 'azure.responses+gpt-5' });
  });

  it('of Bedrock tells what an inference profile stands for', async () => {
    server = await nativeServer(NATIVE_DOUBLES.bedrock);
    const settings = readSettings(ModelSettings, {
      LLM_PROVIDER: 'bedrock',
      LLM_BASE_URL: server.url,
      LLM_API_KEY: 'k',
      LLM_MODEL: 'arn:aws:bedrock:us-east-1:1:application-inference-profile/a',
      LLM_PROFILE: 'claude',
      LLM_PROVIDER_OPTIONS: '{"bedrock":{"reasoningConfig":{"type":"adaptive"}}}',
    });
    expect((await collect(createModelClient(settings, NO_ATTACHMENTS), request('hi'))).text).toBe('ok');
    expect(server.seen[0]?.['additionalModelRequestFields']).toEqual({ thinking: { type: 'adaptive' } });
  });
});
