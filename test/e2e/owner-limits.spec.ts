import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { type TestServer } from '../support/server.js';
import { as, startWithCallers } from '../support/known-callers.js';
import { until } from '../support/until.js';

const LIMITS = {
  user: { runStarts: { perMinute: 3, burst: 3 }, activeRuns: 2, streams: 2, sockets: 1, uploadBytesPerDay: 1000 },
  tenants: {
    busy: { user: { runStarts: { perMinute: 100, burst: 100 }, activeRuns: 2, streams: 50 } },
    streaming: { user: { runStarts: { perMinute: 100, burst: 100 }, activeRuns: 100, streams: 2 } },
    crowded: { user: { activeRuns: 10 }, tenant: { activeRuns: 3 } },
  },
};

function limitsFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'parley-limits-')), 'limits.json');
  writeFileSync(file, JSON.stringify(LIMITS));
  return file;
}

describe('Limits of users and tenants', () => {
  let server: TestServer;
  let session = 0;

  beforeAll(async () => {
    server = await startWithCallers(
      {
        env: { LIMITS_FILE: limitsFile() },
        model: (upstream) => {
          upstream.onMessage('wait', { content: 'x' }, { latency: 5000 });
          upstream.onMessage(/.*/, { content: 'ok' });
        },
      },
      { 'starts.slow': { limits: { runs: 1 } } },
    );
  });

  afterAll(() => server.close());

  function ask(token: string, text: string, path = '/process'): Promise<Response> {
    session += 1;
    const body = { session_id: `s${session}`, input: [{ role: 'user', content: [{ type: 'text', text }] }] };
    const headers = { ...as(token), 'content-type': 'application/json' };
    return fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  }

  async function errorOf(response: Response): Promise<{ status: number; code: unknown; retryAfter: string | null }> {
    const { code } = (await response.json()) as { code: unknown };
    return { status: response.status, code, retryAfter: response.headers.get('retry-after') };
  }

  it('refuse more starts of runs than the rate', async () => {
    for (let index = 0; index < 3; index += 1) {
      const response = await ask('starts.alice', 'hello');
      expect(response.status).toBe(200);
      await response.text();
    }
    const refused = await errorOf(await ask('starts.alice', 'hello'));
    expect(refused).toMatchObject({ status: 429, code: 'RATE_LIMIT_EXCEEDED' });
    expect(Number(refused.retryAfter)).toBeGreaterThanOrEqual(1);
    const other = await ask('starts.bob', 'hello');
    expect(other.status).toBe(200);
    await other.text();
  });

  it('refuse more starts than those of the credential itself', async () => {
    const agUi = (threadId: string): Promise<Response> =>
      fetch(`${server.url}/ag-ui`, {
        method: 'POST',
        headers: { ...as('starts.slow'), 'content-type': 'application/json' },
        body: JSON.stringify({ threadId, runId: 'r', messages: [{ id: 'm', role: 'user', content: 'hello' }] }),
      });
    const first = await agUi('slow-1');
    expect(first.status).toBe(200);
    await first.text();
    expect(await errorOf(await agUi('slow-2'))).toMatchObject({ status: 429, code: 'RATE_LIMIT_EXCEEDED' });
  });

  it('count neither a repeated request nor a refused one', async () => {
    const send = async (path: string, body: object): Promise<number> => {
      const headers = { ...as('starts.repeats'), 'content-type': 'application/json' };
      const answer = await fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      await answer.text();
      return answer.status;
    };
    const start = (id: string, text = 'hello'): Promise<number> => {
      const input = [{ role: 'user', content: [{ type: 'text', text }] }];
      return send('/process', { id, session_id: id, input, stream: false });
    };
    for (let index = 0; index < 4; index += 1) {
      expect(await start('again')).toBe(200);
      expect(await start('again', 'something else')).toBe(409);
    }
    expect([await start('second'), await start('third'), await start('fourth')]).toEqual([200, 200, 429]);
    expect(await start('again')).toBe(200);
  });

  it('refuse a run of a user who has too many that have not ended', async () => {
    for (let index = 0; index < 2; index += 1)
      expect((await ask('busy.alice', 'wait', '/process/task')).status).toBe(200);
    const refused = await errorOf(await ask('busy.alice', 'wait', '/process/task'));
    expect(refused).toEqual({ status: 429, code: 'QUEUE_FULL', retryAfter: '5' });
    expect((await ask('busy.bob', 'wait', '/process/task')).status).toBe(200);
  });

  it('refuse a run when all users of the tenant together have too many', async () => {
    for (const user of ['a', 'b', 'c'])
      expect((await ask(`crowded.${user}`, 'wait', '/process/task')).status).toBe(200);
    expect(await errorOf(await ask('crowded.d', 'wait', '/process/task'))).toMatchObject({
      status: 429,
      code: 'QUEUE_FULL',
    });
  });

  it('refuse a further event stream before its head, without a run, until one is closed', async () => {
    const first = new AbortController();
    const open = async (signal?: AbortSignal): Promise<Response> => {
      session += 1;
      const body = { session_id: `s${session}`, input: [{ role: 'user', content: [{ type: 'text', text: 'wait' }] }] };
      const headers = { ...as('streaming.alice'), 'content-type': 'application/json' };
      return fetch(`${server.url}/process`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        signal: signal ?? null,
      });
    };
    const streams = [await open(first.signal), await open()];
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    const refused = await open();
    expect(await errorOf(refused)).toMatchObject({ status: 429, code: 'RATE_LIMIT_EXCEEDED' });
    first.abort();
    await until(async () => {
      const again = await open();
      const { status } = again;
      await again.body?.cancel();
      return status === 200;
    });
    await streams[1]?.body?.cancel();
  });

  it('refuse a further WebSocket before the upgrade', async () => {
    const connect = (): WebSocket =>
      new WebSocket(`${server.url.replace('http', 'ws')}/v1/responses`, { headers: as('sockets.alice') });
    const first = connect();
    await new Promise((resolve) => first.once('open', resolve));
    const status = await new Promise((resolve) => {
      const second = connect();
      second.once('unexpected-response', (_request, response) => resolve(response.statusCode));
      second.once('open', () => resolve('open'));
    });
    expect(status).toBe(429);
    first.close();
  });

  it('count each response.create on a WebSocket as a start', async () => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/responses`, { headers: as('creates.alice') });
    const types: string[] = [];
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { type: string; status?: number };
      if (message.type === 'response.completed' || message.type === 'error')
        types.push(`${message.type} ${message.status ?? ''}`);
    });
    await new Promise((resolve) => socket.once('open', resolve));
    for (let index = 0; index < 4; index += 1) socket.send(JSON.stringify({ type: 'response.create', input: 'hello' }));
    await until(() => types.length === 4);
    expect(types).toEqual(['response.completed ', 'response.completed ', 'response.completed ', 'error 429']);
    socket.close();
  });

  it('refuse uploads beyond the bytes of a day', async () => {
    const upload = async (bytes: number): Promise<number> => {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(bytes)], { type: 'image/png' }), 'a.png');
      const response = await fetch(`${server.url}/api/v1/agent/attachments`, {
        method: 'POST',
        headers: as('uploads.alice'),
        body: form,
      });
      await response.text();
      return response.status;
    };
    expect(await upload(900)).not.toBe(429);
    expect(await upload(200)).toBe(429);
  });
});
