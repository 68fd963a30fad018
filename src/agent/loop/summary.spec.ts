import { CONVERSATION_SUMMARY, type Message, summaryOf } from '../../events/index.js';
import { MemoryJournal } from '../testing/memory-journal.js';
import { call, finish, ScriptedModelClient, type ScriptStep, text } from '../testing/scripted-model-client.js';
import { loopAgent, serverTool, testMessage, textContent, TestRun, userMessage } from '../testing/test-run.js';

/** About 250 tokens. */
const LONG = 'grapes '.repeat(140);

function said(id: string, role: Message['role'], words: string): Message {
  return testMessage({ id, role, content: [textContent(words)] });
}

const HISTORY = [said('msg_1', 'user', `quince ${LONG}`), said('msg_2', 'assistant', LONG)];

describe('a conversation above the limit of the request', () => {
  const answers = (): ScriptStep[][] => [[text('Yes.'), finish()]];

  it('is given to the model as a summary and the last words of the user', async () => {
    const client = new ScriptedModelClient(answers());
    const run = new TestRun({ history: HISTORY, input: [userMessage('And?')], modelOptions: { compactAbove: 200 } });
    await run.drive(loopAgent(client));
    expect(run.messages.map(({ type }) => type)).toEqual(['reasoning', 'message']);
    const [summary] = run.messages.flatMap((message) => summaryOf(message) ?? []);
    expect(summary).toMatch(/^Summary of the whole conversation so far, condensed by the server:\n[^]*- user: And\?$/);
    expect(client.requests[0]?.messages).toEqual([
      { role: 'system', content: `Be brief.\n\n${summary}` },
      { role: 'user', content: [{ type: 'text', text: 'And?' }] },
    ]);
    run.expectLegalStream();
  });

  it('is left as it is without a limit, and below it', async () => {
    for (const modelOptions of [{}, { compactAbove: 2000 }]) {
      const run = new TestRun({ history: HISTORY, modelOptions });
      await run.drive(loopAgent(new ScriptedModelClient(answers())));
      expect(run.messages.map(({ type }) => type)).toEqual(['message']);
    }
  });

  it('gets one summary, however often its worker is lost', async () => {
    const modelOptions = { compactAbove: 200 };
    const first = new TestRun({ history: HISTORY, modelOptions });
    await first.drive(loopAgent(new ScriptedModelClient(answers())));
    const [stored] = first.journal.writes;
    const journal = new MemoryJournal(stored ? [stored] : []);
    const resumed = new TestRun({ history: HISTORY, modelOptions, journal, attempt: 2 });
    await resumed.drive(loopAgent(new ScriptedModelClient(answers())));
    expect(resumed.messages.map(({ type }) => type)).toEqual(['message']);
  });

  it('is shortened between two steps when results have filled it, with the last calls and results', async () => {
    const tools = [serverTool('look', { invoke: () => Promise.resolve(LONG) })];
    const steps = ['a', 'b', 'c'].map((id) => [call(0, 'look', '{}', id), finish('tool-calls')]);
    const client = new ScriptedModelClient([...steps, ...answers()]);
    const run = new TestRun({ modelOptions: { compactAbove: 600 } });
    await run.drive(loopAgent(client, tools));
    const summaries = run.messages.filter((message) => summaryOf(message) !== undefined);
    expect(summaries).toHaveLength(1);
    const roles = client.requests.at(-1)?.messages.map(({ role }) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'tool']);
  });

  it('continues from the last summary alone, whatever the history has before it', async () => {
    const client = new ScriptedModelClient(answers());
    const metadata = { [CONVERSATION_SUMMARY]: 'What was said.' };
    const summary = testMessage({ id: 'msg_3', type: 'reasoning', metadata });
    await new TestRun({ history: [...HISTORY, summary] }).drive(loopAgent(client));
    expect(client.requests[0]?.messages[0]).toEqual({ role: 'system', content: 'Be brief.\n\nWhat was said.' });
    expect(client.requests[0]?.messages).toHaveLength(2);
  });
});
