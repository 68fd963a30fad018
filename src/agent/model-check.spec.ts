import { strictServer, type StrictServer, openAiRefusal } from './adapters/testing/strict-server.js';
import { ConfiguredModels } from './adapters/configured-models.js';
import { clientFor } from './adapters/testing/upstream-client.js';
import { checkModel } from './model-check.js';
import { ModelStartCheck } from './model-start-check.js';
import type { ModelSettings } from './model.settings.js';
import type { ModelClient } from './ports/model-client.js';

let server: StrictServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

describe('checkModel', () => {
  it('makes eight requests at most, those of repairs included, and says how many', async () => {
    // A server that refuses something else each time: every member, then every tool, then every form of the answer.
    server = await strictServer((body) => {
      const name = ['stream_options', 'tool_choice', 'response_format', 'max_tokens', 'max_completion_tokens', 'tools']
        .filter((one) => one in body)
        .at(-1);
      return name === undefined ? undefined : openAiRefusal(`Unsupported parameter: '${name}'`, name);
    });
    const report = await checkModel(clientFor(server.url));
    expect(server.seen.length).toBe(8);
    expect(report.requests).toBe(8);
    expect(report.checks.at(-1)).toMatchObject({ name: 'image', outcome: 'skipped', note: '8 requests were made' });
  });

  it('a second trial of a client that has learned needs no repairs', async () => {
    server = await strictServer((body) =>
      'stream_options' in body ? openAiRefusal("Unsupported parameter: 'stream_options'", 'stream_options') : undefined,
    );
    const client = clientFor(server.url);
    await checkModel(client);
    const before = server.seen.length;
    await expect(checkModel(client)).resolves.toMatchObject({ requests: 5 });
    expect(server.seen.length - before).toBe(5);
  });

  it('nothing is retried', async () => {
    server = await strictServer(() => ({ status: 503, body: { error: { message: 'overloaded' } } }));
    await expect(checkModel(clientFor(server.url))).resolves.toMatchObject({
      requests: 1,
      checks: [{ name: 'text', outcome: 'failed' }],
    });
    expect(server.seen).toHaveLength(1);
  });
});

describe('ModelStartCheck', () => {
  const settingsOf = (more: object = {}): ModelSettings =>
    ({ server: { kind: 'openai-compatible' }, named: [], triesAtStart: true, ...more }) as unknown as ModelSettings;
  const modelsOf = (main: ModelClient, named: Readonly<Record<string, ModelClient>> = {}): ConfiguredModels =>
    new ConfiguredModels({
      main,
      named: Object.entries(named).map(([name, client]) => ({ name, client, agents: undefined })),
      create: () => main,
    });

  it.each([
    ['answers', undefined],
    ['refuses the form of it', openAiRefusal("Unsupported parameter: 'stream_options'", 'stream_options')],
    ['serves nothing there', { status: 404, body: '404 page not found' }],
    ['is overloaded', { status: 503, body: 'busy' }],
  ])('makes one request, also of a server that %s', async (_, refusal) => {
    server = await strictServer(() => refusal);
    await new ModelStartCheck(modelsOf(clientFor(server.url)), settingsOf()).run();
    expect(server.seen).toHaveLength(1);
  });

  it('makes one to each model of LLM_MODELS, and none to a model that is given in code', async () => {
    server = await strictServer();
    const [fast, strong, own] = [clientFor(server.url), clientFor(server.url), clientFor(server.url)];
    const settings = settingsOf({ named: [{ name: 'fast' }, { name: 'strong' }] });
    await new ModelStartCheck(modelsOf(fast, { fast, strong, own }), settings).run();
    expect(server.seen).toHaveLength(2);
  });

  it.each([{ triesAtStart: false }, { server: { kind: 'offline' } }])('makes none with %j', async (more) => {
    server = await strictServer();
    await new ModelStartCheck(modelsOf(clientFor(server.url)), settingsOf(more)).run();
    expect(server.seen).toEqual([]);
  });
});
