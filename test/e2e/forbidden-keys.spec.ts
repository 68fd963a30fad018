import { ResponsesDriver } from '../support/responses-driver.js';

const FORBIDDEN = ['{"__proto__":{"a":1}}', '{"a":[{"constructor":{"prototype":{"a":1}}}]}', '{"\\u005f_proto__":{}}'];
const ALLOWED = '{"constructor":"a","prototype":{"constructor":{}}}';

/** Where clients send JSON, with a place for a text of it. */
const PLACES: readonly [what: string, path: string, body: (json: string) => string][] = [
  ['a body', '/process', (json) => `{"input":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"x":${json}}`],
  [
    'the schema of a tool as text',
    '/process',
    (json) =>
      JSON.stringify({
        input: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
        tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: json } }],
      }),
  ],
  [
    'edited arguments as text',
    '/process',
    (json) =>
      JSON.stringify({
        input: [
          {
            role: 'user',
            type: 'mcp_approval_response',
            content: [{ type: 'data', data: { approval_request_id: 'int_1', approve: true, edited_arguments: json } }],
          },
        ],
      }),
  ],
  [
    'the payload of a resume as text',
    '/send-message',
    (json) => JSON.stringify({ conversationId: 'c', messages: [], resume: { interruptId: 'int_1', payload: json } }),
  ],
  [
    'a command of AG-UI as text',
    '/send-message',
    (json) =>
      JSON.stringify({
        ...{ threadId: 't', runId: 'r', messages: [], state: {}, tools: [], context: [] },
        forwardedProps: { command: { resume: json } },
      }),
  ],
];

describe('keys that would change all objects', () => {
  let driver: ResponsesDriver;

  beforeAll(async () => {
    driver = await ResponsesDriver.start();
  });
  afterAll(() => driver.server.close());

  describe.each(PLACES)('in %s', (_what, path, body) => {
    async function refusal(json: string): Promise<[number, boolean]> {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${driver.server.url}${path}`, { method: 'POST', headers, body: body(json) });
      return [answer.status, /forbidden key/.test(await answer.text())];
    }

    it.each(FORBIDDEN)('are refused: %s', async (json) => {
      expect(await refusal(json)).toEqual([400, true]);
    });

    it('are not confused with others', async () => {
      const [, isForbidden] = await refusal(ALLOWED);
      expect(isForbidden).toBe(false);
    });
  });

  it.each(FORBIDDEN)('are refused in a message of a WebSocket: %s', async (json) => {
    const socket = await driver.socket();
    socket.raw.send(`{"type":"response.create","input":"Hello.","metadata":${json}}`);
    expect(await socket.until('error')).toMatchObject({ status: 400, error: { code: 'invalid_value' } });
    socket.raw.close();
  });
});
