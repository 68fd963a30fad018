import { dataOf, type Message, textOf } from '../../../../events/index.js';
import { TestRun, type TestRunOptions } from '../../../testing/test-run.js';
import { remoteAgentFor } from '../../testing/remote-runs.js';
import { stream, UpstreamDouble } from '../../testing/responses-double.js';

const RUN = { threadId: 't', runId: 'r' };
const FINISHED = { type: 'RUN_FINISHED', ...RUN };
const USER = { id: 'u', role: 'user', content: 'Hello' };
const text = (messageId: string, delta: string): object => ({ type: 'TEXT_MESSAGE_CHUNK', messageId, delta });
const call = (toolCallId: string, toolCallName = 'dredge'): object => ({
  ...{ type: 'TOOL_CALL_CHUNK', toolCallId, toolCallName, delta: '{"metres":2}' },
});
const snapshot = (...messages: readonly object[]): object => ({
  type: 'MESSAGES_SNAPSHOT',
  messages: [USER, ...messages],
});
const calls = (...ids: readonly string[]): object => ({
  toolCalls: ids.map((id) => {
    return { id, type: 'function', function: { name: 'dredge', arguments: '{"metres":2}' } };
  }),
});
const said = (id: string, content: string, more: object = {}): object => ({ id, role: 'assistant', content, ...more });
const result = (id: string, toolCallId: string, content: string, more: object = {}): object => ({
  ...{ id, role: 'tool', toolCallId, content },
  ...more,
});

/** A message in short. */
function short(message: Message): string {
  if (message.type === 'message') return textOf(message);
  const { call_id: callId, output } = dataOf(message) ?? {};
  const failed = message.metadata?.['is_error'] === true ? 'failed' : undefined;
  return [message.type, callId, output, failed].filter((one) => typeof one === 'string').join(' ');
}

describe('the messages of a snapshot of AG-UI', () => {
  let upstream: UpstreamDouble;
  let run: TestRun;
  afterEach(() => upstream.close());

  async function shown(events: readonly object[], options: TestRunOptions = {}): Promise<string[] | string> {
    upstream = await UpstreamDouble.start((response) => stream(response, [{ type: 'RUN_STARTED', ...RUN }, ...events]));
    const agent = remoteAgentFor({ type: 'ag-ui', url: upstream.url });
    run = new TestRun(options);
    try {
      const outcome = await run.drive(agent);
      if (outcome.kind === 'completed') run.expectLegalStream();
      return run.messages.map(short);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    } finally {
      await agent.close();
    }
  }

  it('are not said again where each snapshot gives them other ids, and the results of calls are there alone', async () => {
    const first = (id: string): object => said(id, 'Let me look.', calls('call_1'));
    const events = [
      ...[text('m1', 'Let me '), text('m1', 'look. '), snapshot(first('x1')), call('call_1')],
      ...[snapshot(first('x2'), result('x3', 'call_1', 'Dredged.')), text('m2', 'Done.')],
      ...[snapshot(first('x4'), result('x5', 'call_1', 'Dredged.'), said('x6', 'Done.')), FINISHED],
    ];
    expect(await shown(events)).toEqual([
      'Let me look. ',
      'plugin_call call_1',
      'plugin_call_output call_1 Dredged.',
      'Done.',
    ]);
  });

  it('are said if they are new, equal to another one or not', async () => {
    const events = [
      text('m1', 'Done.'),
      snapshot(said('m1', 'Done.'), said('x', 'Done.'), said('y', 'Bye.')),
      FINISHED,
    ];
    expect(await shown(events)).toEqual(['Done.', 'Done.', 'Bye.']);
  });

  it('have the result of a call that failed', async () => {
    const failed = result('x2', 'call_1', 'Error: the bar is dry', { error: 'the bar is dry' });
    const more = snapshot(said('x1', '', calls('call_1')), failed);
    expect(await shown([call('call_1'), more, FINISHED])).toEqual([
      'plugin_call call_1',
      'plugin_call_output call_1 Error: the bar is dry failed',
    ]);
  });

  it('have a call that was not streamed, of a message whose text was', async () => {
    const events = [text('m1', 'Let me look.'), call('call_1')];
    const more = [result('x1', 'call_1', 'Dredged.'), result('x2', 'call_2', 'Moored.')];
    const both = snapshot(said('m1', 'Let me look.', calls('call_1', 'call_2')), ...more);
    expect(await shown([...events, both, both, FINISHED])).toEqual([
      'Let me look.',
      'plugin_call call_1',
      'plugin_call call_2',
      'plugin_call_output call_1 Dredged.',
      'plugin_call_output call_2 Moored.',
    ]);
  });

  it('do not answer a call that the client has to answer', async () => {
    const events = [call('call_1', 'moor'), snapshot(said('x1', '', calls('call_1')), result('x2', 'call_1', 'Sent.'))];
    const clientTools = [{ name: 'moor', description: '', parameters: {} }];
    expect(await shown([...events, FINISHED], { clientTools })).toEqual(['function_call call_1']);
  });

  it('may follow a run that fails, whose usage counts', async () => {
    const usage = [{ model: 'm', inputTokens: 3, outputTokens: 4, totalTokens: 7 }];
    expect(await shown([text('m1', 'Moo'), { type: 'RUN_ERROR', message: 'The bar is dry', usage }])).toBe(
      'The bar is dry',
    );
    run.context.response.completed();
    expect(run.context.response.getResponseData().usage).toMatchObject({ input_tokens: 3, output_tokens: 4 });
  });
});

describe('a run of AG-UI that the upstream has canceled', () => {
  it.each(['cancelled', 'canceled'])('is told as that: %s', async (type) => {
    const events = [{ type: 'RUN_STARTED', ...RUN }, text('m1', 'Moo'), { ...FINISHED, outcome: { type } }];
    const upstream = await UpstreamDouble.start((response) => stream(response, events));
    const agent = remoteAgentFor({ type: 'ag-ui', url: upstream.url });
    try {
      await expect(new TestRun().drive(agent)).rejects.toMatchObject({ code: 'UPSTREAM_CANCELED' });
    } finally {
      await agent.close();
      await upstream.close();
    }
  });
});
