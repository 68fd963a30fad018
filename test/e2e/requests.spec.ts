import fc from 'fast-check';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { answerText, counted, expectWhole, type Frame, ProcessClient, userText } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

const MUTATIONS = 300;
const VALID = {
  input: [
    {
      role: 'user',
      type: 'message',
      content: [
        { type: 'text', text: 'hello' },
        { type: 'image', image_url: 'https://example.com/a.png' },
      ],
    },
    { role: 'tool', type: 'plugin_call_output', content: [{ type: 'data', data: { call_id: 'c', output: 'o' } }] },
  ],
  stream: false,
  model: 'm',
  temperature: 1,
  stop: ['x'],
  tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } }],
  forwarded_props: {
    client_time: { device_timezone: 'UTC', client_now_iso: '2026-11-21T10:00:00Z', client_epoch_ms: 1 },
  },
};

interface Task {
  readonly task_id: string;
  readonly status: string;
  readonly result: Frame | null;
  readonly code?: string;
}

describe('POST /process', () => {
  let database: TestDatabase;
  let server: ServerProcess;
  let client: ProcessClient;

  beforeAll(async () => {
    database = await sqliteDatabase();
    server = await ServerProcess.start(database, { RUN_QUEUE_LIMIT: '5' });
    client = new ProcessClient(server.url);
  });

  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  it('a task runs in the background', async () => {
    const { status, body } = await client.json<Task>('POST', '/process/task', userText('count to 5'));
    expect({ status, state: body.status }).toEqual({ status: 200, state: 'submitted' });
    const finished = await until(async () => {
      const task = (await client.json<Task>('GET', `/process/task/${body.task_id}`)).body;
      return task.status === 'finished' && task;
    }, 'the task is finished');
    expect(answerText(finished.result as Frame)).toBe(counted(5));
    expect(await client.json<Task>('GET', '/process/task/nothing')).toMatchObject({
      status: 404,
      body: { code: 'TASK_NOT_FOUND' },
    });
  });

  it('requests wait for a busy session and run in order', async () => {
    const session = { session_id: 'queue' };
    const first = await client.say('count to 15 slowly', session);
    expect((await client.say('hello', session)).status).toBe(409);
    const second = await client.say('count to 2', session, '?multitask=enqueue');
    const third = await client.say('count to 3', session, '?multitask=enqueue');
    const ended: number[] = [];
    const texts = await Promise.all(
      [first, second, third].map(async (stream, index) => {
        const last = expectWhole((await stream.all()).frames);
        ended.push(index);
        return answerText(last);
      }),
    );
    expect(texts).toEqual([counted(15), counted(2), counted(3)]);
    expect(ended).toEqual([0, 1, 2]);
  });

  it('a repeated request gets the same run, and another request under its id is refused', async () => {
    const more = { id: 'repeated', session_id: 'repeated' };
    const first = await client.ask('count to 4', more);
    const again = await client.ask('count to 4', more);
    expect(again.frames).toEqual(first.frames);
    expect(await client.json('POST', '/process', { ...userText('count to 5'), ...more })).toMatchObject({
      status: 409,
      body: { code: 'RUN_ID_CONFLICT' },
    });
  });

  it('the preflight request of a browser is answered', async () => {
    const { status, headers } = await fetch(`${server.url}/process`, {
      method: 'OPTIONS',
      headers: {
        origin: 'http://localhost:5173',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      },
    });
    expect(status).toBeLessThan(300);
    expect(headers.get('access-control-allow-origin')).toMatch(/^(\*|http:\/\/localhost:5173)$/);
    expect(headers.get('access-control-allow-headers')?.toLowerCase()).toMatch(
      /authorization.*content-type|content-type.*authorization/,
    );
    expect(headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('a cursor ahead of the run gets 409, and an unknown run 404', async () => {
    const { last } = await client.ask('hello');
    expect((await client.resume(last.id as string, last.sequence_number + 1)).status).toBe(409);
    const rest = await client.resume(last.id as string, last.sequence_number);
    expect((await rest.all()).frames).toEqual([]);
    expect((await client.read('nothing')).status).toBe(404);
  });

  it.each([
    ['invalid JSON', '{"input": [', 'application/json', 400],
    ['an empty body', '', 'application/json', 400],
    ['a list', '[]', 'application/json', 400],
    ['a deeply nested body', '{"input":'.padEnd(40_000, '[') + ']'.repeat(39_991) + '}', 'application/json', 400],
    ['__proto__', '{"input":[],"__proto__":{"polluted":true}}', 'application/json', 400],
    ['a body of 10 MB', JSON.stringify({ input: [], pad: 'x'.repeat(10 * 1024 * 1024) }), 'application/json', 413],
    ['another content type', 'input=1', 'application/x-www-form-urlencoded', 415],
  ])('%s is refused', async (_, body, type, status) => {
    const answer = await fetch(`${server.url}/process`, { method: 'POST', headers: { 'content-type': type }, body });
    const told = (await answer.json()) as { code: string; message: string };
    expect(answer.status).toBe(status);
    expect(told).toEqual(expect.objectContaining({ code: expect.any(String), message: expect.any(String) }));
  });

  it('a mutated request never gets a 5xx', async () => {
    const bodies = fc.sample(mutilated(), { numRuns: MUTATIONS, seed: 20_261_121 });
    for (let at = 0; at < bodies.length; at += 20) {
      const batch = bodies.slice(at, at + 20);
      const answers = await Promise.all(batch.map((body) => post(server.url, body)));
      for (const [index, { status, text }] of answers.entries()) {
        if (status >= 500 || (status !== 200 && !text.includes('"code"')))
          throw new Error(`${status} ${text} for ${JSON.stringify(batch[index])}`);
      }
    }
    const { last } = await client.ask('hello');
    expect(last.status).toBe('completed');
  });
});

async function post(url: string, body: unknown): Promise<{ status: number; text: string }> {
  const answer = await fetch(`${url}/process`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text() };
}

type Path = readonly (string | number)[];

/** The valid request with one to three of its values, at any depth, replaced or removed. */
function mutilated(): fc.Arbitrary<unknown> {
  const paths = pathsOf(VALID);
  const value = fc.oneof(
    fc.constantFrom<unknown>(
      null,
      undefined,
      '',
      0,
      -1,
      1e308,
      true,
      [],
      {},
      [[]],
      [null],
      '\u0000',
      '\ud800',
      'x'.repeat(300),
    ),
    fc.jsonValue({ maxDepth: 2 }),
  );
  const change = fc.record({ path: fc.constantFrom(...paths), value });
  return fc.array(change, { minLength: 1, maxLength: 3 }).map((changes) => {
    const body: unknown = structuredClone(VALID);
    for (const { path, value: replacement } of changes) replaceAt(body, path, replacement);
    return body;
  });
}

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  const below = keys.flatMap((key) => pathsOf((value as Record<string | number, unknown>)[key], [...path, key]));
  return path.length === 0 ? below : [path, ...below];
}

function replaceAt(body: unknown, path: Path, value: unknown): void {
  let at = body;
  for (const key of path.slice(0, -1)) {
    if (typeof at !== 'object' || at === null) return;
    at = (at as Record<string | number, unknown>)[key];
  }
  const last = path.at(-1);
  if (typeof at === 'object' && at !== null && last !== undefined)
    (at as Record<string | number, unknown>)[last] = value;
}
