import type { Message } from '../../events/index.js';
import type { ModelEvent } from '../ports/model-client.js';
import { call, finish, reasoning, ScriptedModelClient, text } from '../testing/scripted-model-client.js';
import { dataMessage, loopAgent, serverTool, TestRun, userMessage } from '../testing/test-run.js';
import { REFUSAL } from './model-step.js';

const clientTools = [{ name: 'browse', description: 'Opens a page', parameters: { type: 'object' } }];

async function runOf(...script: ModelEvent[]): Promise<TestRun> {
  const run = new TestRun({ clientTools });
  await run.drive(loopAgent(new ScriptedModelClient([script]), [serverTool('look')]));
  return run;
}

/** The statuses of a message and of its contents, and why it is incomplete. */
const statusOf = ({ type, status, code, content }: Message): unknown[] => [
  type,
  status,
  code,
  ...(content ?? []).map((one) => one.status),
];

/** The closing events of the log for one message. */
const closings = (run: TestRun, id: string | undefined): unknown[] =>
  run.events.flatMap((event) => {
    const isOf = event.object === 'message' ? event.id === id : event.object === 'content' && event.msg_id === id;
    const isClosing = isOf && 'status' in event && event.status !== 'created' && event.status !== 'in_progress';
    return isClosing ? [[event.object, event.status]] : [];
  });

describe('an answer that a limit has cut', () => {
  it.each([
    ['text', [text('So far')], 'message'],
    ['reasoning', [reasoning('Hm')], 'reasoning'],
    ['a call of the client', [call(0, 'browse', '{"url":"', 'c0')], 'function_call'],
    ['a call of the server', [call(0, 'look', '{"at":"', 'c0')], 'plugin_call'],
    ['nothing', [], 'message'],
  ] as const)('the last message is incomplete with its content: %s', async (_what, deltas, type) => {
    const run = await runOf(...deltas, finish('length'));
    const [message] = run.messages;
    expect(run.messages).toHaveLength(1);
    expect(message && statusOf(message)).toEqual([type, 'incomplete', 'max_output_tokens', 'incomplete']);
    expect(message?.usage).toEqual({ input_tokens: 10, output_tokens: 5 });
    expect(closings(run, message?.id)).toEqual([
      ['content', 'incomplete'],
      ['message', 'incomplete'],
    ]);
    run.expectLegalStream();
  });

  it('the messages before the last one are complete', async () => {
    const run = await runOf(reasoning('Hm'), text('Well.'), call(0, 'browse', '{"url":"', 'c0'), finish('length'));
    expect(run.messages.map(statusOf)).toEqual([
      ['reasoning', 'completed', null, 'completed'],
      ['message', 'completed', null, 'completed'],
      ['function_call', 'incomplete', 'max_output_tokens', 'incomplete'],
    ]);
  });

  it('a call without its whole arguments is incomplete, also if others follow', async () => {
    const run = await runOf(
      call(0, 'browse', '{"url":"', 'c0'),
      call(1, 'browse', '{"url":"b"}', 'c1'),
      call(2, 'browse', '{"u', 'c2'),
      finish('length'),
    );
    expect(run.messages.map(({ status }) => status)).toEqual(['incomplete', 'completed', 'incomplete']);
  });

  it('filtered text is incomplete', async () => {
    const run = await runOf(text('So far'), finish('content-filter'));
    expect(run.messages.map(statusOf)).toEqual([['message', 'incomplete', 'content_filter', 'incomplete']]);
  });

  it('the refusal that takes the place of a filtered answer is incomplete', async () => {
    const run = await runOf(reasoning('Hm'), call(0, 'browse', '{"url":"', 'c0'), finish('content-filter'));
    expect(run.messages.map(statusOf)).toEqual([
      ['reasoning', 'completed', null, 'completed'],
      ['function_call', 'incomplete', 'content_filter', 'incomplete'],
      ['message', 'incomplete', 'content_filter', 'incomplete'],
    ]);
    expect(run.messages[2]?.content).toMatchObject([{ refusal: REFUSAL }]);
    run.expectLegalStream();
  });

  it('an answer that the model ended itself is complete, whatever its calls are', async () => {
    const run = await runOf(text('Well.'), call(0, 'browse', '{"url":"', 'c0'), finish('tool-calls'));
    expect(run.messages.map(({ status, code }) => [status, code])).toEqual([
      ['completed', null],
      ['completed', null],
    ]);
  });

  /** Arguments that cannot be read, as the model gets them back. */
  const wrapped = (text: string): string => JSON.stringify({ invalid_json: text });

  /** The messages of the next request to the model, after the user's first one. */
  async function nextPrompt(answer: readonly ModelEvent[], ...outputs: readonly [id: string, output: string][]) {
    const cut = await runOf(...answer);
    const client = new ScriptedModelClient([[text('Done.'), finish()]]);
    const history = [userMessage('Go'), ...cut.messages];
    const input = outputs.map(([id, output]) => dataMessage('function_call_output', { call_id: id, output }, 'tool'));
    await new TestRun({ history, input, clientTools, providerStates: cut.states }).drive(loopAgent(client));
    return client.requests[0]?.messages.slice(2);
  }

  it('a cut call that the client answers reaches the model, with its output', async () => {
    const answer = [text('So far'), call(0, 'browse', '{"url":"', 'c0'), finish('length')];
    expect(await nextPrompt(answer, ['c0', 'No.'])).toEqual([
      {
        role: 'assistant',
        content: 'So far',
        toolCalls: [{ id: 'c0', name: 'browse', arguments: wrapped('{"url":"') }],
      },
      { role: 'tool', callId: 'c0', name: 'browse', content: 'No.' },
    ]);
  });

  it('whole and cut calls of one answer go back to the model together, with what its provider attached', async () => {
    const replay = { vendor: 'signature' };
    const answer = [
      call(0, 'browse', '{"url":"a"}', 'c0'),
      call(1, 'browse', '{"u', 'c1'),
      { ...finish('length'), replay } as ModelEvent,
    ];
    expect(await nextPrompt(answer, ['c0', 'Found.'])).toEqual([
      {
        role: 'assistant',
        content: '',
        toolCalls: [
          { id: 'c0', name: 'browse', arguments: '{"url":"a"}' },
          { id: 'c1', name: 'browse', arguments: wrapped('{"u') },
        ],
        replay,
      },
      { role: 'tool', callId: 'c0', name: 'browse', content: 'Found.' },
      {
        role: 'tool',
        callId: 'c1',
        name: 'browse',
        content: 'No result: a limit ended the answer, so the call was not made.',
      },
    ]);
  });
});
