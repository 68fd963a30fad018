import { randomUUID } from 'node:crypto';
import { describeOnDatabases } from '../support/databases.js';
import { agUiOptions } from '../support/ag-ui-options.js';
import { startServer, type TestServer } from '../support/server.js';

const said = (role: string, ...texts: readonly string[]): object => ({
  role,
  content: texts.map((text) => ({ type: 'text', text })),
});
const QUESTION = said('user', 'plain text');
const ANSWER = said('assistant', 'The sky is blue today.');
const THEN = said('user', 'and then');
const RAIN = said('assistant', 'Then it rains.');

/** The same conversation as the model is told it. */
const TOLD = [
  'user: plain text',
  'assistant: The sky is blue today.',
  'user: and then',
  'assistant: Then it rains.',
  'user: plain text',
];

/** The texts of a message of a model request. */
function textsIn(content: unknown): readonly string[] {
  if (!Array.isArray(content)) return [String(content)];
  return (content as { text?: string }[]).map(({ text }) => String(text));
}

describeOnDatabases('the Agent API and a client that sends the conversation again without ids', (open) => {
  let server: TestServer;
  beforeAll(async () => (server = await startServer(agUiOptions({ database: open }))));
  afterAll(() => server.close());

  async function send(session: string, input: readonly object[]): Promise<void> {
    const answer = await fetch(`${server.url}/process`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: session, input, stream: false }),
    });
    expect(await answer.json()).toMatchObject({ status: 'completed' });
  }

  /** What the model was told last, without the system prompt. Questions that follow each other come as one message. */
  const told = (): readonly string[] => {
    const { messages } = server.modelServer.getLastRequest()?.body as unknown as {
      messages: { role: string; content: unknown }[];
    };
    return messages
      .filter(({ role }) => role !== 'system')
      .flatMap(({ role, content }) => textsIn(content).map((text) => `${role}: ${text}`));
  };

  it('each turn adds only what is new', async () => {
    const session = randomUUID();
    await send(session, [QUESTION]);
    await send(session, [QUESTION, ANSWER, THEN]);
    await send(session, [QUESTION, ANSWER, THEN, RAIN, QUESTION]);
    expect(told()).toEqual(TOLD);
  });

  it('new ids in each request change nothing', async () => {
    const session = randomUUID();
    const named = (messages: readonly object[]): object[] => messages.map((one) => ({ ...one, id: randomUUID() }));
    await send(session, named([QUESTION]));
    await send(session, named([QUESTION, ANSWER, THEN]));
    await send(session, named([QUESTION, ANSWER, THEN, RAIN, QUESTION]));
    expect(told()).toEqual(TOLD);
  });

  it('the client may leave out what is old, and tools, and join what the assistant said', async () => {
    const session = randomUUID();
    await send(session, [QUESTION]);
    await send(session, [QUESTION, ANSWER, said('user', 'one tool')]);
    const mild = said('assistant', 'Mild in\nParis.');
    await send(session, [said('user', 'one tool'), mild, THEN]);
    await send(session, [QUESTION, ANSWER, said('user', 'one tool'), mild, THEN, RAIN, QUESTION]);
    expect(told().map((one) => one.replace(/\{.*/s, '{'))).toEqual([
      'user: plain text',
      'assistant: The sky is blue today.',
      'user: one tool',
      expect.stringMatching(/^assistant: /),
      expect.stringMatching(/^tool: \{/),
      'assistant: Mild in Paris.',
      'user: and then',
      'assistant: Then it rains.',
      'user: plain text',
    ]);
  });

  it('a user who says the same again is heard again', async () => {
    const session = randomUUID();
    await send(session, [QUESTION]);
    await send(session, [QUESTION]);
    await send(session, [QUESTION, QUESTION]);
    expect(told().filter((one) => one === 'user: plain text')).toHaveLength(4);
    const other = randomUUID();
    await send(other, [QUESTION, ANSWER, QUESTION]);
    await send(other, [QUESTION, ANSWER, QUESTION, ANSWER, QUESTION]);
    expect(told()).toEqual([TOLD[0], TOLD[1], TOLD[0], TOLD[1], TOLD[0]]);
  });

  it('two new questions after an answer are both new, though the first was asked before', async () => {
    const session = randomUUID();
    await send(session, [QUESTION]);
    await send(session, [QUESTION, THEN]);
    expect(told()).toEqual([TOLD[0], TOLD[1], TOLD[0], TOLD[2]]);
  });

  it('a client that gives examples with every question gets them once', async () => {
    const session = randomUUID();
    await send(session, [said('user', 'Say one'), said('assistant', 'One.'), QUESTION]);
    await send(session, [said('user', 'Say one'), said('assistant', 'One.'), THEN]);
    expect(told().filter((one) => one === 'assistant: One.')).toHaveLength(1);
    expect(told().at(-1)).toBe('user: and then');
  });

  it('an instruction before the conversation is no obstacle', async () => {
    const session = randomUUID();
    const system = said('system', 'Be brief.');
    await send(session, [system, QUESTION]);
    await send(session, [system, QUESTION, ANSWER, THEN]);
    expect(told()).toEqual(TOLD.slice(0, 3));
    const { messages } = server.modelServer.getLastRequest()?.body as unknown as { messages: { content: unknown }[] };
    expect(JSON.stringify(messages).split('Be brief.')).toHaveLength(2);
  });
});
