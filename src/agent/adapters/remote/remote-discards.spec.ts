import { type CustomEvent, RUN_RECOVERED, textOf } from '../../../events/index.js';
import { MemoryJournal } from '../../testing/memory-journal.js';
import { TestRun } from '../../testing/test-run.js';
import { remoteAgentFor } from '../testing/remote-runs.js';
import { openStream, paced, UpstreamDouble } from '../testing/responses-double.js';

/** What a run looks like at its end. */
interface Ended {
  readonly outcome: string;
  readonly messages: readonly string[];
  /** How many messages each recovery of the upstream has taken back. */
  readonly discarded: readonly number[];
  /** How many messages each boundary has. */
  readonly boundaries: readonly number[];
}

/** An upstream whose worker is lost takes back what it had not finished; its messages come again under other ids. */
describe('messages that an upstream takes back', () => {
  let upstream: UpstreamDouble;
  afterEach(() => upstream.close());

  /** @param isParley false: the upstream is another server */
  async function run(entry: object, events: readonly object[], isParley = true): Promise<Ended> {
    upstream = await UpstreamDouble.start((response) => {
      if (isParley) response.setHeader('x-run-id', 'run-1');
      openStream(response);
      paced(response, events);
    });
    const { url } = upstream;
    const agent = remoteAgentFor({ url, ...entry });
    const journal = new MemoryJournal();
    const own = new TestRun({ journal });
    const { kind: outcome } = await own.drive(agent);
    await agent.close();
    own.expectLegalStream();
    const recoveries = own.events.filter(
      (event): event is CustomEvent => event.object === 'custom' && event.name === RUN_RECOVERED,
    );
    const steps = journal.writes.filter(({ key, output }) => key.includes(':at:') && output);
    return {
      outcome,
      messages: own.messages.map((one) => `${one.type}: ${textOf(one)}`),
      discarded: recoveries.map(({ value }) => (value as { discardedMessageIds: string[] }).discardedMessageIds.length),
      boundaries: steps.map(({ messageIds }) => messageIds.length),
    };
  }

  describe('over AG-UI', () => {
    const PARLEY = { type: 'ag-ui', reattach: 'parley', eventsUrl: 'http://127.0.0.1:9/runs' };
    const RUN = { threadId: 't', runId: 'r' };
    const text = (messageId: string, delta: string): object[] => [
      { type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId, delta },
      { type: 'TEXT_MESSAGE_END', messageId },
    ];
    const thought = (messageId: string, delta: string): object[] => [
      { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' },
      { type: 'REASONING_MESSAGE_CONTENT', messageId, delta },
      { type: 'REASONING_MESSAGE_END', messageId },
    ];
    const call = (toolCallId: string, parentMessageId: string): object[] => [
      { type: 'TOOL_CALL_START', toolCallId, toolCallName: 'dredge', parentMessageId },
      { type: 'TOOL_CALL_ARGS', toolCallId, delta: '{}' },
      { type: 'TOOL_CALL_END', toolCallId },
    ];
    const result = (toolCallId: string, messageId: string): object => ({
      type: 'TOOL_CALL_RESULT',
      toolCallId,
      messageId,
      content: 'Done.',
    });
    const recovered = (...discardedMessageIds: string[]): object[] => [
      { type: 'MESSAGES_SNAPSHOT', messages: [] },
      { type: 'CUSTOM', name: RUN_RECOVERED, value: { attempt: 2, discardedMessageIds, resumedFromStep: 1 } },
    ];
    const whole = (...events: object[]): object[] => [
      { type: 'RUN_STARTED', ...RUN },
      ...events,
      { type: 'RUN_FINISHED', ...RUN },
    ];

    it('are taken back, with the thoughts and calls before them', async () => {
      const events = whole(
        ...call('c0', 'm0'),
        result('c0', 'o0'),
        ...thought('r1', 'Hm.'),
        ...text('m1', 'The bar is '),
        ...call('c1', 'm1'),
        ...recovered('r1', 'm1', 'm1_call'),
        ...thought('r2', 'Hm.'),
        ...text('m2', 'The bar is dredged.'),
      );
      expect(await run(PARLEY, events)).toEqual({
        outcome: 'completed',
        messages: ['plugin_call: ', 'plugin_call_output: ', 'reasoning: Hm.', 'message: The bar is dredged.'],
        discarded: [3],
        boundaries: [2, 0, 2],
      });
    });

    it('may be calls that come again under their ids', async () => {
      const events = whole(...call('c1', 'm1'), ...recovered('m1'), ...call('c1', 'm1'), result('c1', 'o1'));
      const ended = await run(PARLEY, events);
      expect([ended.messages, ended.discarded]).toEqual([['plugin_call: ', 'plugin_call_output: '], [1]]);
    });

    it('are not in a boundary before all calls have their results', async () => {
      const events = whole(...call('c1', 'm1'), ...call('c2', 'm1'), result('c1', 'o1'), result('c2', 'o2'));
      expect((await run(PARLEY, events)).boundaries).toEqual([4, 0]);
    });

    it('stay where a boundary has them already', async () => {
      const events = whole(
        ...call('c0', 'm0'),
        result('c0', 'o0'),
        ...recovered('m0', 'o0'),
        ...text('m1', 'Dredged.'),
      );
      const ended = await run(PARLEY, events);
      expect(ended.messages.at(-1)).toBe('message: Dredged.');
      expect(ended.discarded).toEqual([]);
    });

    it('are taken back in an exchange that cannot be continued, unless a boundary has them', async () => {
      const cut = [
        { type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant' },
        { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta: 'The bar is ' },
      ];
      const events = whole(...cut, ...recovered('m1').slice(1), ...text('m2', 'The bar is dredged.'));
      const ended = await run({ type: 'ag-ui' }, events);
      expect([ended.messages, ended.discarded]).toEqual([['message: The bar is dredged.'], [1]]);
    });
  });

  describe('over the Agent API', () => {
    const PARLEY = { type: 'agent-api', reattach: 'parley', eventsUrl: 'http://127.0.0.1:9/runs' };
    const RESPONSE = { object: 'response', id: 'resp_1', session_id: 's' };
    const message = (id: string, status: string, text?: string): object => ({
      object: 'message',
      id,
      type: 'message',
      role: 'assistant',
      status,
      ...(text !== undefined && { content: [{ object: 'content', type: 'text', index: 0, msg_id: id, text }] }),
    });
    const piece = (id: string, text: string): object => ({
      object: 'content',
      type: 'text',
      status: 'in_progress',
      index: 0,
      msg_id: id,
      delta: true,
      text,
    });
    const begun = (id: string, text: string): object[] => [
      message(id, 'created'),
      message(id, 'in_progress'),
      piece(id, text),
    ];
    const response = (status: string, output?: object[]): object => ({
      ...RESPONSE,
      status,
      ...(output && { output }),
    });

    it('are taken back when the response goes on behind a message that was cut', async () => {
      const kept = message('m2', 'completed', 'The bar is dredged.');
      const events = [
        response('created'),
        ...begun('m1', 'The bar is '),
        message('m1', 'incomplete', 'The bar is '),
        ...begun('m2', 'The bar is dredged.'),
        kept,
        response('completed', [kept]),
      ];
      const ended = await run(PARLEY, events);
      expect([ended.messages, ended.discarded]).toEqual([['message: The bar is dredged.'], [1]]);
    });

    it('are taken back with their files', async () => {
      const image = (id: string): object => ({
        object: 'content',
        type: 'image',
        status: 'completed',
        index: 1,
        msg_id: id,
        image_url: 'https://example.org/map.png',
      });
      const kept = message('m2', 'completed', 'A map.');
      const events = [
        response('created'),
        ...begun('m1', 'A '),
        image('m1'),
        message('m1', 'incomplete', 'A '),
        ...begun('m2', 'A map.'),
        image('m2'),
        kept,
        response('completed', [kept]),
      ];
      const ended = await run(PARLEY, events);
      expect([ended.messages, ended.discarded]).toEqual([['message: A map.', 'message: '], [1]]);
    });

    it('are not those before an error', async () => {
      const events = [
        response('created'),
        ...begun('m1', 'The bar is '),
        message('m1', 'incomplete', 'The bar is '),
        { error: { message: 'broken' } },
      ];
      await expect(run(PARLEY, events)).rejects.toMatchObject({ code: 'UPSTREAM_FAILED' });
    });

    it('are those that the whole response does not have', async () => {
      const kept = message('m2', 'completed', 'Dredged.');
      const events = [
        response('created'),
        ...begun('m1', 'Lost.'),
        message('m1', 'completed', 'Lost.'),
        ...begun('m2', 'Dredged.'),
        kept,
        response('completed', [kept]),
      ];
      const ended = await run(PARLEY, events);
      expect([ended.messages, ended.discarded]).toEqual([['message: Dredged.'], [1]]);
    });

    it.each([
      ['completed', undefined],
      ['incomplete', [message('m1', 'incomplete', 'The bar is ')]],
    ] as const)('are not those at the end of a response that is %s', async (status, output) => {
      const cut = [message('m1', 'incomplete', 'The bar is ')];
      const events = [
        response('created'),
        ...begun('m1', 'The bar is '),
        ...cut,
        response(status, output && [...output]),
      ];
      const ended = await run(PARLEY, events);
      expect([ended.messages, ended.discarded]).toEqual([['message: The bar is '], []]);
    });
  });

  describe('over Responses', () => {
    const item = (id: string, status: string, text: string): object => ({
      id,
      type: 'message',
      role: 'assistant',
      status,
      content: text === '' ? [] : [{ type: 'output_text', text, annotations: [] }],
    });
    const begun = (id: string, index: number, delta: string): object[] => [
      { type: 'response.output_item.added', output_index: index, item: item(id, 'in_progress', '') },
      { type: 'response.output_text.delta', output_index: index, item_id: id, content_index: 0, delta },
    ];
    const done = (index: number, one: object): object => ({
      type: 'response.output_item.done',
      output_index: index,
      item: one,
    });
    const base = { id: 'resp_1', object: 'response', model: 'm' };
    const numbered = (events: object[]): object[] => events.map((event, n) => ({ ...event, sequence_number: n }));
    const ending = (status: string, output: object[]): object => ({
      type: `response.${status}`,
      response: { ...base, status, output },
    });
    const created = { type: 'response.created', response: { ...base, status: 'in_progress', output: [] } };
    const cut = item('m1', 'incomplete', 'The bar is ');
    const kept = item('m2', 'completed', 'The bar is dredged.');
    const second = [...begun('m2', 1, 'The bar is dredged.'), done(1, kept)];

    it('are taken back when the answer goes on behind an item that was cut', async () => {
      const first = [...begun('m1', 0, 'The bar is '), done(0, cut)];
      const events = numbered([created, ...first, ...second, ending('completed', [kept])]);
      const ended = await run({ type: 'responses' }, events);
      expect([ended.messages, ended.discarded]).toEqual([['message: The bar is dredged.'], [1]]);
    });

    it('are not taken back by other servers', async () => {
      const first = [...begun('m1', 0, 'The bar is '), done(0, cut)];
      const events = numbered([created, ...first, ...second, ending('completed', [])]);
      const ended = await run({ type: 'responses' }, events, false);
      expect([ended.messages, ended.discarded]).toEqual([['message: The bar is ', 'message: The bar is dredged.'], []]);
    });

    it('are taken back if only the whole answer shows that it went on', async () => {
      const first = [...begun('m1', 0, 'The bar is '), done(0, cut)];
      const other = item('m2', 'completed', 'Dredged.');
      const ended = await run({ type: 'responses' }, numbered([created, ...first, ending('completed', [other])]));
      expect([ended.messages, ended.discarded]).toEqual([['message: Dredged.'], [1]]);
    });

    it('come again if the whole answer has them', async () => {
      const first = [...begun('m1', 0, 'The bar is '), done(0, cut)];
      const events = numbered([created, ...first, ...second, ending('completed', [cut, kept])]);
      const ended = await run({ type: 'responses' }, events);
      expect(ended.messages).toEqual(['message: The bar is dredged.', 'message: The bar is ']);
    });

    it('are not those that the answer ends with', async () => {
      const first = [...begun('m1', 0, 'The bar is '), done(0, cut)];
      const ended = await run({ type: 'responses' }, numbered([created, ...first, ending('incomplete', [cut])]));
      expect([ended.outcome, ended.messages, ended.discarded]).toEqual(['incomplete', ['message: The bar is '], []]);
    });
  });
});
