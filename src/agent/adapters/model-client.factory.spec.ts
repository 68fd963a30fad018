import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { listenOnLoopback } from '../../../test/support/loopback-server.js';
import { StartupError } from '../../common/index.js';
import { readSettings } from '../../config/index.js';
import { ModelSettings } from '../model.settings.js';
import { createModelClient } from './model-client.factory.js';
import type { ChatCompletionsModelClient } from './chat-completions/chat-completions-model-client.js';
import { collect, request } from './testing/collect.js';
import { begin, end } from './testing/raw-upstream.js';

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

describe('the profile of a configured client', () => {
  const profileOf = (env: Record<string, string>): unknown => {
    const settings = readSettings(ModelSettings, { LLM_BASE_URL: 'http://127.0.0.1:1/v1', LLM_MODEL: 'demo', ...env });
    const { profile } = createModelClient(settings, NO_ATTACHMENTS).info;
    return profile && [profile.name, profile.reason];
  };

  it.each([
    [{}, 'generic', 'nothing that is known of the server'],
    [{ LLM_PROFILE: 'vllm' }, 'vllm', 'LLM_PROFILE'],
    [{ LLM_BASE_URL: 'http://api.deepseek.com:8080' }, 'deepseek', 'the host api.deepseek.com'],
    [{ LLM_MODEL: 'o4-mini' }, 'gpt-5', 'the model name o4-mini'],
  ])('%j: %s', (env, name, reason) => {
    expect(profileOf(env)).toEqual([name, reason]);
  });

  it.each([
    [{ LLM_PROFILE: 'gpt5' }, /LLM_PROFILE must be generic, a server \(.*not "gpt5"/],
    [{ LLM_COMPAT: '{"max_tokens":1}' }, /LLM_COMPAT cannot be used: "max_tokens" is no rule/],
    [{ LLM_COMPAT: '{"limit":1}' }, /LLM_COMPAT cannot be used: limit must be one of max_tokens/],
  ])('%j stops the start', (env, message) => {
    expect(() => profileOf(env)).toThrow(StartupError);
    expect(() => profileOf(env)).toThrow(message);
  });
});

describe('the connections of a configured client', () => {
  let server: Server;
  let sockets: Socket[];
  let paths: (string | undefined)[];
  let client: ChatCompletionsModelClient;

  /** A client of a server that announces a long keep-alive time. */
  async function configured(env: Record<string, string>, query = ''): Promise<ChatCompletionsModelClient> {
    sockets = [];
    paths = [];
    server = createServer((incoming, response) => {
      paths.push(incoming.url);
      incoming.resume().on('end', () => {
        begin(response, { content: 'ok' });
        end(response);
      });
    });
    server.keepAliveTimeout = 600_000;
    server.on('connection', (socket) => sockets.push(socket));
    await listenOnLoopback(server);
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1${query}`;
    const settings = readSettings(ModelSettings, { LLM_BASE_URL: address, ...env });
    return (client = createModelClient(settings, NO_ATTACHMENTS) as ChatCompletionsModelClient);
  }
  afterEach(async () => {
    await client.onApplicationShutdown();
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  it('LLM_HEADERS are sent, and LLM_COMPAT holds', async () => {
    const seen: unknown[] = [];
    const compat = { LLM_COMPAT: '{"extra":{"service_tier":"flex"}}', LLM_HEADERS: '{"X-Title":"Parley"}' };
    const model = await configured(compat);
    server.prependListener('request', (incoming) => seen.push(incoming.headers['x-title']));
    await collect(model, request('hi'));
    expect(seen).toEqual(['Parley']);
    expect(model.info.profile?.name).toBe('gpt-4');
  });

  it('LLM_KEEP_ALIVE_MS is the longest time that an unused connection is kept', async () => {
    await collect(await configured({ LLM_KEEP_ALIVE_MS: '50' }), request('hi'));
    const [socket] = sockets;
    if (socket && !socket.destroyed) await once(socket, 'close');
    await collect(client, request('hi'));
    expect(sockets).toHaveLength(2);
  });

  it.each([
    ['1', 1],
    ['2', 2],
  ])('LLM_MAX_CONNECTIONS=%s limits the connections', async (limit, count) => {
    const limited = await configured({ LLM_MAX_CONNECTIONS: limit });
    const calls = Array.from({ length: 6 }, async () => (await collect(limited, request('hi'))).text);
    expect(await Promise.all(calls)).toEqual(Array(6).fill('ok'));
    expect(sockets).toHaveLength(count);
  });

  it.each(['?api-version=2024-10-21&u=/', '/?api-version=2024-10-21&u=/'])(
    'the query of LLM_BASE_URL is sent: %s',
    async (query) => {
      await collect(await configured({}, query), request('hi'));
      expect(paths).toEqual(['/v1/chat/completions?api-version=2024-10-21&u=/']);
    },
  );
});
