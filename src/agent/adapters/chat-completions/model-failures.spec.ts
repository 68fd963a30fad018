import { failureOf, request, user } from '../testing/collect.js';
import { clientFor, expectError, KEY } from '../testing/upstream-client.js';
import { type Refusal, type StrictServer, strictServer } from '../testing/strict-server.js';

const SECRET = 'the launch code of the silo is 0000';

describe('failures of model calls, for operators', () => {
  let server: StrictServer | undefined;
  let lines: string[];

  beforeEach(() => {
    lines = [];
  });
  afterEach(async () => {
    await server?.close();
    server = undefined;
  });

  /** What is kept of a call that a server refuses in this way, and what the client was told. */
  async function failing(refusal: Refusal, calls = 1): Promise<{ failures: object[]; message: string }> {
    server = await strictServer(() => refusal);
    const url = `${server.url}?key=${KEY}`;
    const client = clientFor(url, { maxRetries: 0 }, undefined, (line) => lines.push(line));
    let message = '';
    for (let call = 0; call < calls; call += 1) {
      const { error } = await failureOf(client, request([user(SECRET)]));
      ({ message } = error as Error);
    }
    return { failures: [...(client.info.failures ?? [])], message };
  }

  it('a 404 without a word about the model names the address and the path of the base URL', async () => {
    const { failures, message } = await failing({ status: 404, body: { detail: 'Not Found' } });
    const address = new URL('/v1/chat/completions', server?.url).href;
    expect(message).toBe('The model server serves nothing at its configured address');
    expect(failures).toEqual([
      {
        at: expect.any(Date),
        count: 1,
        code: 'MODEL_NOT_FOUND',
        message,
        status: 404,
        model: 'demo',
        address,
        says: 'Not Found',
        cause: expect.stringContaining('LLM_BASE_URL, which ends with /v1') as string,
      },
    ]);
    expect(lines).toEqual([
      `demo at ${address}: ${message} (status 404). The server said: “Not Found”. ` +
        'Likely cause: the path of LLM_BASE_URL, which ends with /v1 for most servers. Nothing is served at /v1/chat/completions.',
    ]);
  });

  it('a 404 about the model names the model', async () => {
    const body = { error: { message: 'The model `demo` does not exist', code: 'model_not_found' } };
    const { failures, message } = await failing({ status: 404, body });
    expect(message).toBe('The model was not found');
    expect(failures).toMatchObject([{ says: body.error.message, cause: expect.stringContaining('LLM_MODEL') }]);
  });

  it('neither key nor content is kept, and a failure that repeats is logged once', async () => {
    const body = { error: { message: `Incorrect API key provided: ${KEY}. You asked: ${SECRET}` } };
    const { failures } = await failing({ status: 401, body }, 3);
    expect(failures).toMatchObject([{ code: 'MODEL_UNAUTHORIZED_ACCESS', count: 3 }]);
    expect(lines).toHaveLength(1);
    expect(JSON.stringify([failures, lines])).not.toMatch(/sk-|launch code/);
  });

  it('a server that cannot be reached', async () => {
    const client = clientFor('http://127.0.0.1:9/v1', { maxRetries: 0 }, undefined, (line) => lines.push(line));
    const { error } = await failureOf(client, request('Hi'));
    expectError(error, 'MODEL_EXECUTION_FAILED');
    expect(client.info.failures).toMatchObject([
      {
        status: null,
        says: expect.stringContaining('ECONNREFUSED'),
        cause: expect.stringContaining('no server listens at 127.0.0.1:9'),
      },
    ]);
  });

  it('twenty different failures are kept, the newest first', async () => {
    server = await strictServer(({ model }) => ({ status: 400, body: { error: { message: `no ${String(model)}` } } }));
    const client = clientFor(server.url, { maxRetries: 0 });
    for (let at = 0; at < 22; at += 1) await failureOf(client, request('Hi', [], { model: `m${at}` }));
    const models = client.info.failures?.map(({ model }) => model);
    expect([models?.length, models?.[0], models?.at(-1)]).toEqual([20, 'm21', 'm2']);
  });

  it('what is the fault of a request is no failure of the model server', async () => {
    server = await strictServer();
    const client = clientFor(server.url);
    const file = { type: 'file', url: 'https://x.example/a.zip', data: null, filename: null } as const;
    await failureOf(client, request([{ role: 'user', content: [file] }]));
    expect(client.info.failures).toEqual([]);
  });
});
