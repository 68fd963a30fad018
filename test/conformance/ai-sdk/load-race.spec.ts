import { randomUUID } from 'node:crypto';
import { finish, ScriptedModelClient, text } from '../../../src/agent/testing/scripted-model-client.js';
import { chatMessages, chatRequest, userSays } from '../../support/chats.js';
import { startServer, type TestServer } from '../../support/server.js';

const LOADS = 150;

/** Lets other work proceed, so many times. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
}

/** A page that is loaded while its answer begins or ends lacks nothing (contract ui-message-stream, section B2). */
describe('a page of the AI SDK that is loaded at any moment', () => {
  let server: TestServer;

  beforeAll(async () => {
    const model = new ScriptedModelClient(() => [
      text('One'),
      { type: 'do', action: () => turns(Math.floor(Math.random() * 40)) },
      text(' two'),
      finish(),
    ]);
    server = await startServer({ model });
  });
  afterAll(() => server.close());

  it(`has the answer once, in its messages or in its stream (${LOADS} times)`, async () => {
    let early = 0;
    for (let load = 0; load < LOADS; load += 1) {
      const id = randomUUID();
      const asked = chatRequest(server, '/ai-sdk', { id, messages: [userSays('m1', 'hello')] });
      await turns(Math.floor(Math.random() * 60));
      const { messages, activeRunId } = await chatMessages(server, id);
      await turns(Math.floor(Math.random() * 60));
      const { status, chunks } = await chatRequest(server, `/ai-sdk/${id}/stream`);
      await asked;
      // The question was not accepted yet when the messages were read.
      if (messages.length === 0) {
        early += 1;
        continue;
      }
      const roles = messages.map(({ role }) => role);
      const streamed = chunks.flatMap(({ delta }) => (typeof delta === 'string' ? [delta] : [])).join('');
      expect([roles, activeRunId === null, status]).toEqual([['user'], false, 200]);
      expect(streamed).toBe('One two');
    }
    expect(early).toBeLessThan(LOADS);
  });

  it('two readers of one stream, as in the strict mode of React, get the same', async () => {
    const id = randomUUID();
    const asked = chatRequest(server, '/ai-sdk', { id, messages: [userSays('m1', 'hello')] });
    const { text: whole } = await asked;
    const [one, two] = await Promise.all([1, 2].map(() => chatRequest(server, `/ai-sdk/${id}/stream`)));
    expect([one?.text, two?.text]).toEqual([whole, whole]);
  });
});
