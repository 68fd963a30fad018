import { bootAgUi } from '../../support/ag-ui-server.js';

const JSON_BODY = { 'content-type': 'application/json' };
const CLOSING = { type: 'RUN_ERROR', code: 'SHUTTING_DOWN' };

/** The events that the text of a stream holds. */
function eventsOf(text: string): unknown[] {
  return text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)) as unknown] : []));
}

describe('streams of a server that stops', () => {
  it('end with RUN_ERROR, so that no client takes the end for an answer', async () => {
    const server = await bootAgUi({ SHUTDOWN_GRACE_MS: '100' });
    const post = async (path: string, threadId: string, headers: object = {}): Promise<Response> => {
      const messages = [{ id: 'u1', role: 'user', content: 'a long story' }];
      const body = JSON.stringify({ threadId, runId: 'r1', messages, protocolVersion: '1.0' });
      return fetch(server.url + path, { method: 'POST', headers: { ...JSON_BODY, ...headers }, body });
    };
    const answers = [
      await post('/ag-ui', 'stop-1'),
      await post('/copilotkit/agent/default/run', 'stop-2'),
      await post('/copilotkit/agent/default/connect', 'stop-2'),
    ];
    const texts = Promise.all(answers.map((answer) => answer.text()));
    await server.close();
    expect((await texts).map((text) => eventsOf(text).at(-1))).toMatchObject([CLOSING, CLOSING, CLOSING]);
  });
});
