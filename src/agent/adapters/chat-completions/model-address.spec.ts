import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { listenOnLoopback } from '../../../../test/support/loopback-server.js';
import { collect, failureOf, request } from '../testing/collect.js';
import { begin, end, rawUpstream } from '../testing/raw-upstream.js';
import { clientFor, expectError, KEY, waits } from '../testing/upstream-client.js';
import { headersFor, ModelAddress, originOf } from './model-address.js';

describe('the address of a model server (contract model-servers, section 1.5)', () => {
  let server: Server;
  let paths: string[];
  let headers: IncomingHttpHeaders[];
  let served: string;
  let missing: { status: number; body: string };
  let models: string | undefined;
  let lines: string[];

  beforeEach(async () => {
    [paths, headers, lines, waits.length] = [[], [], [], 0];
    served = '/v1/chat/completions';
    missing = { status: 404, body: '{"detail":"Not Found"}' };
    models = undefined;
    server = createServer((incoming, response) => {
      paths.push(`${incoming.method} ${incoming.url}`);
      headers.push(incoming.headers);
      incoming.resume().on('end', () => {
        if (incoming.method === 'GET' && models !== undefined && incoming.url?.endsWith('/v1/models')) {
          response.end(models);
        } else if (incoming.url !== served) response.writeHead(missing.status).end(missing.body);
        else {
          begin(response, { content: 'ok' });
          end(response);
        }
      });
    });
    await listenOnLoopback(server);
  });
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  const at = (path: string): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const client = (path: string, settings = {}) => clientFor(at(path), settings, (line) => lines.push(line));

  it.each(['/v1', '/v1/', '/v1///', '/v1/chat/completions', '/v1/chat/completions/'])(
    '%s is one address',
    async (path) => {
      await collect(client(path), request('hi'));
      expect(paths).toEqual(['POST /v1/chat/completions']);
    },
  );

  it.each([
    ['', '{"detail":"Not Found"}'],
    ['/', '<html><h1>404 Not Found</h1></html>'],
    ['', '404 page not found'],
    ['', ''],
    ['', '{"error":"Unexpected endpoint or method. (POST /chat/completions)"}'],
    ['', '{"error":{"message":"Invalid URL (POST /chat/completions)","type":"invalid_request_error"}}'],
    ['', '<pre>Cannot POST /chat/completions</pre>'],
  ])('a base URL without /v1 is tried once with it: %s %s', async (path, body) => {
    missing.body = body;
    const model = client(path, { maxRetries: 0 });
    expect((await collect(model, request('hi'))).text).toBe('ok');
    expect((await collect(model, request('hi'))).text).toBe('ok');
    expect(paths).toEqual(['POST /chat/completions', 'POST /v1/chat/completions', 'POST /v1/chat/completions']);
    expect(lines).toEqual([
      `The model server answers at ${at('/v1/chat/completions')}: LLM_BASE_URL has another path.`,
    ]);
  });

  it('a base URL with /v1 is tried once without it', async () => {
    served = '/chat/completions';
    expect((await collect(client('/v1'), request('hi'))).text).toBe('ok');
    expect(paths).toEqual(['POST /v1/chat/completions', 'POST /chat/completions']);
  });

  it('a server that answers 200 where it serves nothing is tried once with /v1: LM Studio', async () => {
    missing = { status: 200, body: '{"error":"Unexpected endpoint or method. (POST /chat/completions)"}' };
    const model = client('', { maxRetries: 0 });
    expect((await collect(model, request('hi'))).text).toBe('ok');
    expect((await collect(model, request('hi'))).text).toBe('ok');
    expect(paths).toEqual(['POST /chat/completions', 'POST /v1/chat/completions', 'POST /v1/chat/completions']);
  });

  it('the first answer is reported if both are missing, and later calls do not try again', async () => {
    served = '/elsewhere';
    const model = client('/api');
    expectError((await failureOf(model, request('hi'))).error, 'MODEL_NOT_FOUND');
    expect(paths).toEqual(['POST /api/chat/completions', 'POST /api/v1/chat/completions']);
    await failureOf(model, request('hi'));
    expect(paths).toHaveLength(3);
  });

  it('an unknown model is not searched for elsewhere', async () => {
    missing.body = '{"error":{"message":"The model `demo` does not exist","code":"model_not_found"}}';
    expectError((await failureOf(client(''), request('hi'))).error, 'MODEL_NOT_FOUND');
    expect(paths).toHaveLength(1);
  });

  it('an address that has answered is right', async () => {
    const model = client('/v1');
    await collect(model, request('hi'));
    served = '/elsewhere';
    await failureOf(model, request('hi'));
    expect(paths).toEqual(['POST /v1/chat/completions', 'POST /v1/chat/completions']);
  });

  it('without a key there is no header, and further headers are sent', async () => {
    await collect(client('/v1', { apiKey: undefined, headers: { 'X-Title': 'Parley' } }), request('hi'));
    expect(headers[0]).toMatchObject({ 'x-title': 'Parley' });
    expect(headers[0]).not.toHaveProperty('authorization');
  });

  it('a further header is never in an error', async () => {
    missing = { status: 400, body: `{"error":{"message":"upstream words: bad header s3cret and ${KEY}"}}` };
    served = '/elsewhere';
    const { error } = await failureOf(client('/v1', { headers: { 'x-token': 's3cret' } }), request('hi'));
    expect(String(expectError(error, 'MODEL_EXECUTION_FAILED').cause)).toContain('bad header [key] and [key]');
  });

  it('neither the key nor further headers are sent to another origin', async () => {
    const other = await rawUpstream((response) => {
      begin(response, { content: 'ok' });
      end(response);
    });
    server.removeAllListeners('request');
    server.on('request', (_, response: ServerResponse) =>
      response.writeHead(307, { location: `${other.url}/x` }).end(),
    );
    expect((await collect(client('/v1', { headers: { 'x-token': 's3cret' } }), request('hi'))).text).toBe('ok');
    expect(JSON.stringify(other.seen[0]?.headers)).not.toMatch(/s3cret|very-secret/);
    await other.close();
  });

  describe('which is asked what it is', () => {
    const list = (owner: string): string => JSON.stringify({ object: 'list', data: [{ id: 'demo', owned_by: owner }] });

    it.each([
      ['vllm', 'vllm'],
      ['library', 'ollama'],
      ['llamacpp', 'llamacpp'],
      ['sglang', 'sglang'],
      ['somebody', 'generic'],
    ])('the owner %s: the profile %s', async (owner, name) => {
      models = list(owner);
      const model = client('/v1');
      model.onApplicationBootstrap();
      await collect(model, request('hi'));
      expect(model.info.profile?.name).toBe(name);
      expect(paths).toEqual(['GET /v1/models', 'POST /v1/chat/completions']);
      expect(headers[0]).toMatchObject({ authorization: `Bearer ${KEY}` });
    });

    it.each([
      { status: 404, body: '{"detail":"Not Found"}' },
      { status: 200, body: '{"error":"Unexpected endpoint or method. (GET /list)"}' },
    ])('it is asked with /v1 too if the base URL is without it: %j', async (answer) => {
      missing = answer;
      models = list('library');
      const model = client('');
      model.onApplicationBootstrap();
      await collect(model, request('hi'));
      expect(model.info.profile?.name).toBe('ollama');
      expect(paths.slice(0, 2)).toEqual(['GET /models', 'GET /v1/models']);
    });

    it.each(['', 'no JSON', '[]', '{"data":{}}', undefined])(
      'a list that says nothing is no error: %s',
      async (body) => {
        models = body;
        const model = client('/v1');
        model.onApplicationBootstrap();
        expect((await collect(model, request('hi'))).text).toBe('ok');
        expect(model.info.profile?.name).toBe('generic');
      },
    );

    it('it is not asked if its model or its profile is known', async () => {
      models = list('vllm');
      for (const settings of [{ model: 'gemma-3' }, { profile: 'generic' }]) {
        const model = client('/v1', settings);
        model.onApplicationBootstrap();
        await collect(model, request('hi'));
      }
      expect(paths).toEqual(['POST /v1/chat/completions', 'POST /v1/chat/completions']);
    });
  });
});

describe('originOf', () => {
  const of = (host: string, ...models: string[]): string[] =>
    models.map((model) => originOf(new URL(`https://${host}`), model));

  it.each([
    ['openrouter.ai', 'x-ai/grok-4', 'minimax/minimax-m2'],
    ['openrouter.ai', 'anthropic/claude-sonnet-4.5', 'z-ai/glm-5'],
    ['litellm.example', 'grok-4', 'glm-5'],
    ['api.fireworks.ai', 'accounts/fireworks/models/glm-5', 'accounts/fireworks/models/minimax-m2'],
  ])('on %s, %s and %s are two providers', (host, one, other) => {
    expect(new Set(of(host, one, other)).size).toBe(2);
  });

  it.each([
    ['openrouter.ai', 'z-ai/glm-4.6', 'z-ai/glm-5'],
    ['open.bigmodel.cn', 'glm-4.6', 'glm-5'],
    ['api.minimax.io', 'MiniMax-M2', 'MiniMax-M2.1'],
  ])('on %s, %s and %s are one', (host, one, other) => {
    expect(new Set(of(host, one, other)).size).toBe(1);
  });
});

describe('headersFor', () => {
  it.each(['https://me.openai.azure.com/openai/v1', 'https://me.services.ai.azure.com/models'])(
    '%s gets the key twice',
    (url) => {
      expect(headersFor(new URL(url), 'k', {})).toMatchObject({ authorization: 'Bearer k', 'api-key': 'k' });
    },
  );

  it.each(['https://api.openai.com/v1', 'https://azure.com.example/v1', 'https://notazure.com/v1'])(
    '%s gets it once',
    (url) => {
      expect(headersFor(new URL(url), 'k', {})).not.toHaveProperty('api-key');
    },
  );

  it('a further header replaces one of the same name', () => {
    expect(headersFor(new URL('https://x.example'), 'k', { Authorization: 'Basic x' })).toMatchObject({
      authorization: 'Basic x',
    });
  });
});

describe('ModelAddress', () => {
  it('the query is kept in all addresses', () => {
    const address = new ModelAddress('https://x.example/base?api-version=1');
    expect(address.url.href).toBe('https://x.example/base/chat/completions?api-version=1');
    expect(address.modelsUrls.map(({ href }) => href)).toEqual([
      'https://x.example/base/models?api-version=1',
      'https://x.example/base/v1/models?api-version=1',
    ]);
    expect(address.alternative(404, '')?.href).toBe('https://x.example/base/v1/chat/completions?api-version=1');
  });
});
