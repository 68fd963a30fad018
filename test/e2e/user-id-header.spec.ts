import { randomUUID } from 'node:crypto';
import { startServer, type TestServer } from '../support/server.js';
import { rawRequest } from '../support/raw-http.js';
import { until } from '../support/until.js';

const JSON_TYPE = { 'content-type': 'application/json' };
const AG_KIT = '/v1/aibot/bots/worker';

/** A name as the bytes of a header in UTF-8, which `fetch` takes one a character. */
const bytesOf = (name: string): string => Buffer.from(name).toString('latin1');

const turn = (id: string) => ({ threadId: id, runId: 'r1', messages: [{ id: 'u1', role: 'user', content: 'Hello' }] });

describe('the X-User-Id header', () => {
  let server: TestServer;

  beforeAll(async () => (server = await startServer()));
  afterAll(() => server.close());

  const send = async (
    [method, path, body]: readonly [string, string, object?],
    headers: Record<string, string>,
  ): Promise<{ status: number; body: Record<string, unknown>; text: string }> => {
    const init = { method, headers: new Headers(headers), ...(body && { body: JSON.stringify(body) }) };
    if (body) init.headers.set('content-type', JSON_TYPE['content-type']);
    const answer = await fetch(server.url + path, init);
    const text = await answer.text();
    return { status: answer.status, text, body: text.startsWith('{') ? (JSON.parse(text) as never) : {} };
  };

  const requests: Record<string, readonly [string, string, object?]> = {
    'AG-UI': ['POST', '/ag-ui', turn('named-1')],
    'CopilotKit run': ['POST', '/copilotkit/agent/default/run', turn('named-1')],
    'CopilotKit connect': ['POST', '/copilotkit/agent/default/connect', { threadId: 'named-1' }],
    'CopilotKit stop': ['POST', '/copilotkit/agent/default/stop/named-1', {}],
    'CopilotKit threads': ['GET', '/copilotkit/threads'],
    'CopilotKit clear': ['POST', '/copilotkit/threads/clear', {}],
    'AG-Kit': ['POST', `${AG_KIT}/send-message`, { conversationId: 'named-1', messages: turn('').messages }],
    'AG-Kit conversations': ['GET', `${AG_KIT}/conversation`],
  };

  describe.each(Object.keys(requests))('%s', (wire) => {
    const request = requests[wire] as readonly [string, string, object?];

    it.each([
      ['longer than 256 characters', 'u'.repeat(257)],
      ['with a control character', 'a\tb'],
      ['with a control character beyond ASCII', bytesOf('a\u0085b')],
    ])('a user id %s is refused with an error of the wire', async (_, name) => {
      const { status, body } = await send(request, { 'x-user-id': name });
      expect(status).toBe(400);
      expect(body['message']).toMatch(/^X-User-Id must /);
      expect(body['code']).toBe(wire.startsWith('AG-Kit') ? 'INVALID_ARGUMENT' : 'INVALID_PARAMETER');
      expect('error' in body).toBe(wire.startsWith('CopilotKit'));
    });
  });

  it('AG-Kit refuses an invalid user id in the query too', async () => {
    for (const query of ['user_id=a%00b', 'user_id=a&user_id=b', `user_id=${'u'.repeat(257)}`]) {
      const { status, body } = await send(['GET', `${AG_KIT}/conversation?${query}`], {});
      expect([status, body['code']]).toEqual([400, 'INVALID_ARGUMENT']);
      expect(body['message']).toMatch(/^user_id must /);
    }
  });

  it('a repeated header is refused', async () => {
    const port = Number(new URL(server.url).port);
    const answer = rawRequest(port, 'GET', '/copilotkit/threads', undefined, ['x-user-id: a', 'x-user-id: b']);
    await until(() => answer.head !== '', 'the answer');
    expect(answer.head).toMatch(/^HTTP\/1.1 400 /);
    answer.socket.destroy();
  });

  it('refused requests have stored nothing', async () => {
    expect((await send(['GET', '/copilotkit/threads'], {})).body['threads']).toEqual([]);
  });

  it.each(['a'.repeat(256), 'Zoë', '日本'])('the user %s is recognized by the header and by the body', async (name) => {
    const threadId = randomUUID();
    await send(['POST', '/ag-ui', { ...turn(threadId), forwardedProps: { user_id: name } }], {});
    const { body } = await send(['GET', '/copilotkit/threads'], { 'x-user-id': bytesOf(name) });
    expect((body['threads'] as { id: string }[]).map(({ id }) => id)).toEqual([threadId]);
  });

  it('an empty header names no user', async () => {
    expect((await send(['GET', '/copilotkit/threads'], { 'x-user-id': '' })).status).toBe(200);
  });
});
