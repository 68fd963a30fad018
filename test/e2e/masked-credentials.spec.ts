import { once } from 'node:events';
import { WebSocket } from 'ws';
import { newKey } from '../../src/access/api-keys/key-form.js';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

const KEY = newKey().text;
const TICKET = 'parley_tk_eyJpZCI6InRpY2tldC1vZi1hIn0.mqGvY3Jh_-mqGvY3Jhmmmmmqq';
const JWT = 'eyJhbGciOiJFUzI1NiIsImtpZCI6ImsifQ.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJlLW9mLWFsaWNl';
const FOREIGN = ['whsec_a1B2c3D4a1B2c3D4a1B2c3D4a1B2c3D4', 'sk-proj-a1B2c3D4a1B2c3D4a1B2c3D4', 'AKIAIOSFODNN7EXAMPLE'];
const SECRETS = [KEY, TICKET, JWT, ...FOREIGN];

interface Attempt {
  readonly method?: string;
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

const message = { id: 'm', role: 'user', content: 'Hello' };

/** Where a client may put a credential by mistake. */
function attempts(secret: string): readonly Attempt[] {
  const escaped = secret.replace(/[._]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
  return [
    { path: `/${secret}` },
    { path: `/${escaped}` },
    { path: `/x/${secret}/y?key=${secret}` },
    { method: 'DELETE', path: `/process/${secret}` },
    { path: '/health', headers: { 'x-request-id': secret } },
    { path: '/nowhere', headers: { 'x-request-id': `id:${secret}`.slice(0, 128) } },
    { path: `/process/${secret}` },
    { path: `/process/task/${secret}` },
    { path: `/v1/responses/${secret}` },
    { path: `/v1/conversations/${secret}` },
    { path: `/runs/${secret}/events` },
    { path: `/runs/x/events?protocol=${secret}` },
    { path: `/approvals/${secret}` },
    { path: `/approvals?status=${secret}` },
    { path: `/api/v1/runs/${secret}` },
    { path: `/api/v1/agent/runs/${secret}` },
    { path: `/api/v1/agent/tasks/${secret}` },
    { path: `/v1/aibot/bots/${secret}` },
    { path: `/admin/keys/${secret}` },
    { method: 'POST', path: `/ag-ui/${secret}`, body: { threadId: 't', runId: 'r', messages: [message] } },
    {
      method: 'POST',
      path: `/copilotkit/agent/${secret}/run`,
      body: { threadId: 't', runId: 'r', messages: [message] },
    },
    { method: 'POST', path: `/copilotkit`, body: { method: secret } },
    { method: 'POST', path: `/v1/aibot/bots/${secret}/send-message`, body: { msg: 'Hello' } },
    { method: 'POST', path: '/v1/responses', body: { model: 'default', input: 'x', previous_response_id: secret } },
    { method: 'POST', path: '/v1/responses', body: { model: 'default', input: 'x', tool_choice: secret } },
    { method: 'POST', path: '/process', body: { [secret]: 1, input: secret } },
    { method: 'POST', path: '/api/v1/agent/runs', body: { threadId: secret, runId: secret, messages: secret } },
    { method: 'POST', path: '/access/tickets', body: { path: `/${secret}` } },
  ];
}

describe.each([
  ['none', {}],
  ['keys', { AUTH: 'keys' }],
])('a credential in a request, with AUTH=%s', (_, env) => {
  let database: TestDatabase;
  let server: ServerProcess;

  beforeAll(async () => {
    database = await sqliteDatabase();
    server = await ServerProcess.start(database, { LOG_LEVEL: 'trace', LOG_FORMAT: 'json', ...env });
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  /** The parts of a credential that are in a text, whatever its escapes. */
  function leaks(text: string): readonly string[] {
    const plain = text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => decodeURIComponent(escapes));
    const parts = SECRETS.flatMap((secret) => secret.split('.'));
    return parts.filter((part) => plain.includes(part.slice(0, 60)));
  }

  it('is neither logged nor returned, on any wire', async () => {
    const wrong: string[] = [];
    let count = 0;
    for (const secret of SECRETS) {
      for (const { method = 'GET', path, body, headers = {} } of attempts(secret)) {
        const answer = await fetch(server.url + path, {
          method,
          headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
          ...(body && { body: JSON.stringify(body) }),
        });
        count += 1;
        const text = `${JSON.stringify([...answer.headers])} ${await answer.text()}`;
        if (leaks(text).length > 0) wrong.push(`${method} ${path} ${JSON.stringify(body)}: ${answer.status} ${text}`);
      }
    }
    expect(wrong).toEqual([]);
    const lines = (): string[] => server.output.split('\n').filter((line) => line.includes('"responseTime"'));
    await until(() => lines().length >= count);
    expect(server.output.split('\n').filter((line) => leaks(line).length > 0)).toEqual([]);
    expect(server.output).toContain('GET /[secret] ');
  });

  it('is not in the answer to an upgrade, and not in messages of a WebSocket', async () => {
    for (const secret of SECRETS) {
      const url = `${server.url.replace('http', 'ws')}/v1/responses`;
      const socket = new WebSocket(`${url}?x=${secret}`, { headers: { 'x-request-id': secret } });
      const [first] = (await Promise.race([
        once(socket, 'upgrade'),
        once(socket, 'unexpected-response').then(([, response]) => [response as unknown]),
      ])) as [{ readonly statusCode: number; readonly headers: object }];
      expect(leaks(JSON.stringify(first.headers))).toEqual([]);
      if (first.statusCode !== 101) {
        socket.on('error', () => undefined).terminate();
        continue;
      }
      await until(() => socket.readyState === WebSocket.OPEN);
      for (const sent of [{ type: secret }, { [secret]: 1 }, { type: 'response.create', conversation: secret }]) {
        socket.send(JSON.stringify(sent));
        const [answered] = (await once(socket, 'message')) as [Buffer];
        expect(leaks(answered.toString())).toEqual([]);
      }
      socket.close();
    }
    expect(leaks(server.output)).toEqual([]);
  });
});
