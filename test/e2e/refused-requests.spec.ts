import { randomUUID } from 'node:crypto';
import {
  type ChatBody,
  openAiRefusal,
  type StrictServer,
  strictServer,
} from '../../src/agent/adapters/testing/strict-server.js';
import { startServer, type TestServer } from '../support/server.js';
import { type Wire, WIRES } from '../support/wires.js';

/** As a reasoning model of OpenAI behind an address and a name that say nothing. */
function reasoningModel(body: ChatBody): ReturnType<typeof openAiRefusal> | undefined {
  if (body['max_tokens'] !== undefined) {
    return openAiRefusal(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      'max_tokens',
      'unsupported_parameter',
    );
  }
  if (body['temperature'] === undefined) return undefined;
  return openAiRefusal("Unsupported value: 'temperature' does not support 0.2 with this model.", 'temperature');
}

interface Health {
  readonly model: object;
  readonly model_profile: { readonly name: string; readonly repairs: object[]; readonly overrides: object };
}

describe('a model server that refuses requests', () => {
  let upstream: StrictServer;
  let server: TestServer;
  let turn = 0;

  beforeEach(async () => {
    upstream = await strictServer(reasoningModel);
    server = await startServer({ env: { LLM_BASE_URL: upstream.url, LLM_API_KEY: 'k', LLM_MODEL: 'prod' } });
  });
  afterEach(async () => {
    await server.close();
    await upstream.close();
  });

  async function post(path: string, body: object): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  async function health(): Promise<Health> {
    return (await (await fetch(`${server.url}/health`)).json()) as Health;
  }

  it('a limit and a temperature are repaired once, and the health page shows it', async () => {
    const body = { model: 'worker', input: 'hi', max_output_tokens: 64, temperature: 0.2 };
    for (const requests of [3, 4]) {
      const answer = (await (await post('/v1/responses', body)).json()) as { status: string; output_text?: string };
      expect(answer.status).toBe('completed');
      expect(upstream.seen).toHaveLength(requests);
      expect(upstream.seen.at(-1)).toMatchObject({ max_completion_tokens: 64 });
    }
    const { model, model_profile: profile } = await health();
    expect(model).toEqual({ kind: 'openai-compatible', name: 'prod' });
    expect(profile.name).toBe('generic');
    expect(profile.repairs).toEqual([
      {
        kind: 'limit',
        says: 'with max_completion_tokens instead of max_tokens',
        sentence: expect.stringContaining("Use 'max_completion_tokens' instead."),
      },
      { kind: 'without:sampling', says: expect.stringContaining('without temperature'), sentence: expect.any(String) },
    ]);
    expect(profile.overrides).toMatchObject({
      limit: 'max_completion_tokens',
      omit: expect.arrayContaining(['temperature']),
    });
  });

  it.each(['agent-api', 'ag-ui', 'ag-kit', 'runs'] as const)(
    'a run on the wire %s ends as if nothing was refused',
    async (name) => {
      const wire = WIRES.find((one) => one.name === name) as Wire;
      // The first message of a process teaches it.
      await post('/v1/responses', { model: 'worker', input: 'hi', max_output_tokens: 64, temperature: 0.2 });
      const { path, body } = wire.say({ sessionId: randomUUID(), words: 'hi', turn: (turn += 1) });
      const answer = await post(path, body);
      expect(wire.shown(await answer.text()).text).toBe('ok');
      expect(upstream.refused).toHaveLength(2);
    },
  );
});
