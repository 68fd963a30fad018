import fc from 'fast-check';
import { type LoggedEvent, type Message, RUN_RECOVERED } from '../../events/index.js';
import { calls, endings, Interpreter } from '../../events/testing/random-program.js';
import { LoggedEvent as Logged, serializeEvent } from '../../events/index.js';
import { parseResponseFrames, ResponsesReader, type WireEvent } from '../../../test/support/responses-reader.js';
import { ScriptedLog } from '../../../test/support/scripted-log.js';
import { decodeCreateRequest } from './request/create-request.decoder.js';
import { type ResponseInfo, storedResponseInfo } from './response-info.js';
import { responseOf } from './response-object.js';
import { ResponsesEncoder } from './responses.encoder.js';
import { SequentialIds } from '../../common/index.js';

const USAGE = { input_tokens: 3, output_tokens: 5, reasoning_tokens: 2, cached_tokens: 1 };

function info(body: object = {}, clientTools: readonly string[] = ['lookup']): ResponseInfo {
  const { echo } = decodeCreateRequest(body, { ids: new SequentialIds(), defaultModel: 'worker' });
  return storedResponseInfo('resp_1', 'worker', { createdAt: 1_795_253_519, echo, clientTools, approvals: [] });
}

function encode(log: readonly LoggedEvent[], about = info()): { reader: ResponsesReader; done: boolean } {
  const encoder = new ResponsesEncoder(about);
  const frames = [...log.flatMap((event) => encoder.next(event)), ...encoder.end()];
  const { events, done } = parseResponseFrames(frames.join(''));
  const reader = new ResponsesReader();
  for (const event of events) reader.read(event);
  return { reader, done };
}

function begun(): ScriptedLog {
  const log = new ScriptedLog();
  log.response.inProgress();
  return log;
}

function say(log: ScriptedLog, text: string): void {
  const message = log.response.createMessageBuilder();
  message.createContentBuilder().addTextDelta(text);
  message.complete();
}

function call(log: ScriptedLog, type: Message['type'], id: string, name: string, more: object = {}): void {
  const message = log.response.createMessageBuilder('assistant', type);
  const content = message.createContentBuilder('data');
  content.addDataDelta({ call_id: id, name, arguments: '', ...more });
  content.addDataDelta({ arguments: '{"city":' });
  content.addDataDelta({ arguments: '"Rome"}' });
  message.complete();
}

function outcome(log: ScriptedLog, type: Message['type'], id: string, output: string, metadata = {}): void {
  const message = log.response.createMessageBuilder('tool', type);
  message.createContentBuilder('data').addDataDelta({ call_id: id, name: 'get_weather', output });
  message.complete({ metadata });
}

function ask(log: ScriptedLog, callId: string): void {
  const message = log.response.createMessageBuilder('assistant', 'mcp_approval_request');
  const data = { id: 'int_1', name: 'get_weather', arguments: '{"city":"Rome"}', server_label: 'local' };
  message.createContentBuilder('data').addDataDelta(data);
  message.complete({ metadata: { call_id: callId } });
}

function itemsOf(events: readonly WireEvent[], kind: 'added' | 'done'): unknown[] {
  return events
    .filter(({ type }) => type === `response.output_item.${kind}`)
    .map(({ item }) => [item?.type, item?.status ?? null, item?.id]);
}

const TEXT_ROW = [
  'response.created',
  'response.in_progress',
  'response.output_item.added',
  'response.content_part.added',
  'response.output_text.delta',
  'response.output_text.delta',
  'response.output_text.done',
  'response.content_part.done',
  'response.output_item.done',
  'response.completed',
];

describe('the Responses encoder', () => {
  it('tells a text in the order of the contract, with the whole at the end', () => {
    const log = begun();
    const message = log.response.createMessageBuilder();
    const content = message.createContentBuilder();
    content.addTextDelta('Hello');
    content.addTextDelta(' there');
    message.complete();
    log.response.completed({ usage: USAGE });
    const { reader, done } = encode(log.logged());
    expect(done).toBe(true);
    expect(reader.types).toEqual(TEXT_ROW);
    expect(reader.ended).toMatchObject({
      id: 'resp_1',
      status: 'completed',
      created_at: 1_795_253_519,
      completed_at: 1_795_253_520,
      error: null,
      output: [
        {
          id: 'msg_1',
          type: 'message',
          status: 'completed',
          role: 'assistant',
          content: [{ type: 'output_text', text: 'Hello there', annotations: [], logprobs: [] }],
        },
      ],
      usage: {
        input_tokens: 3,
        input_tokens_details: { cached_tokens: 1, cache_write_tokens: 0 },
        output_tokens: 5,
        output_tokens_details: { reasoning_tokens: 2 },
        total_tokens: 8,
      },
    });
    expect(reader.events[0]?.response).toMatchObject({ status: 'in_progress', output: [], usage: null });
  });

  it('says queued first of a background response', () => {
    const log = begun();
    log.response.completed();
    const { reader } = encode(log.logged(), info({ background: true }));
    expect(reader.types.slice(0, 3)).toEqual(['response.created', 'response.queued', 'response.in_progress']);
    expect(reader.events.map(({ response }) => response?.status)).toEqual([
      'queued',
      'queued',
      'in_progress',
      'completed',
    ]);
  });

  it('tells reasoning as a summary and refusals as refusals', () => {
    const log = begun();
    const thought = log.response.createMessageBuilder('assistant', 'reasoning');
    thought.createContentBuilder().addTextDelta('Hm.');
    thought.complete();
    const message = log.response.createMessageBuilder();
    message.createContentBuilder('refusal').addRefusalDelta('No.');
    message.complete();
    log.response.completed();
    const { reader } = encode(log.logged());
    expect(reader.types.slice(2, -1)).toEqual([
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.refusal.delta',
      'response.refusal.done',
      'response.content_part.done',
      'response.output_item.done',
    ]);
    expect(reader.ended?.output).toEqual([
      { id: 'rs_1', type: 'reasoning', status: 'completed', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      {
        id: 'msg_2',
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'refusal', refusal: 'No.' }],
      },
    ]);
  });

  it("streams the arguments of the client's calls", () => {
    const log = begun();
    call(log, 'function_call', 'call_1', 'lookup');
    call(log, 'function_call', 'call_2', 'lookup');
    log.response.completed();
    const { reader } = encode(log.logged());
    const row = [
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
    ];
    expect(reader.types.slice(2, -1)).toEqual([...row, ...row]);
    expect(reader.events[2]?.item).toMatchObject({ id: 'fc_1', status: 'in_progress', arguments: '', name: 'lookup' });
    expect(reader.ended?.output).toMatchObject([
      { id: 'fc_1', type: 'function_call', call_id: 'call_1', arguments: '{"city":"Rome"}', status: 'completed' },
      { id: 'fc_2', type: 'function_call', call_id: 'call_2' },
    ]);
  });

  it('shows a tool of the server as one mcp_call with its outcome, parallel ones in the order of their calls', () => {
    const log = begun();
    call(log, 'plugin_call', 'call_1', 'get_weather');
    call(log, 'mcp_call', 'call_2', 'get_weather', { server_label: 'weather' });
    outcome(log, 'mcp_call_output', 'call_2', 'no such city', { is_error: true });
    outcome(log, 'plugin_call_output', 'call_1', 'sunny');
    say(log, 'It is sunny.');
    log.response.completed();
    const { reader } = encode(log.logged());
    expect(itemsOf(reader.events, 'added')).toEqual([
      ['mcp_call', 'in_progress', 'mcp_1'],
      ['mcp_call', 'in_progress', 'mcp_2'],
      ['message', 'in_progress', 'msg_5'],
    ]);
    expect(reader.types.filter((type) => type.startsWith('response.mcp_call.'))).toEqual([
      'response.mcp_call.in_progress',
      'response.mcp_call.in_progress',
      'response.mcp_call.failed',
      'response.mcp_call.completed',
    ]);
    expect(reader.ended?.output).toEqual([
      {
        id: 'mcp_1',
        type: 'mcp_call',
        status: 'completed',
        server_label: 'plugin',
        name: 'get_weather',
        arguments: '{"city":"Rome"}',
        output: 'sunny',
        error: null,
        approval_request_id: null,
      },
      {
        id: 'mcp_2',
        type: 'mcp_call',
        status: 'failed',
        server_label: 'weather',
        name: 'get_weather',
        arguments: '{"city":"Rome"}',
        output: null,
        error: { type: 'mcp_tool_execution_error', content: [{ type: 'text', text: 'no such city' }] },
        approval_request_id: null,
      },
      expect.objectContaining({ id: 'msg_5' }),
    ]);
  });

  it('never shows a call that the agent answered itself as one of the client', () => {
    const log = begun();
    call(log, 'function_call', 'call_1', 'own_tool');
    outcome(log, 'function_call_output', 'call_1', 'done');
    say(log, 'Done.');
    log.response.completed();
    const { reader } = encode(log.logged());
    expect(reader.ended?.output.map(({ type }) => type)).toEqual(['mcp_call', 'message']);
    expect(reader.ended?.output[0]).toMatchObject({ server_label: 'worker', output: 'done' });
    expect(itemsOf(reader.events, 'done')).toHaveLength(2);
  });

  it('shows a call that waits for a permission only as the request', () => {
    const log = begun();
    call(log, 'plugin_call', 'call_1', 'get_weather');
    call(log, 'plugin_call', 'call_2', 'get_weather');
    outcome(log, 'plugin_call_output', 'call_2', 'sunny');
    ask(log, 'call_1');
    log.response.completed();
    const { reader } = encode(log.logged());
    expect(itemsOf(reader.events, 'done')).toEqual([
      ['mcp_call', 'completed', 'mcp_2'],
      ['mcp_approval_request', null, 'int_1'],
    ]);
    expect(reader.ended?.output.map(({ id }) => id)).toEqual(['mcp_2', 'int_1']);
    expect(reader.ended?.output[1]).toEqual({
      id: 'int_1',
      type: 'mcp_approval_request',
      server_label: 'plugin',
      name: 'get_weather',
      arguments: '{"city":"Rome"}',
    });
  });

  it('shows an approved call with what was asked for, and nothing of a refused one', () => {
    const log = begun();
    outcome(log, 'plugin_call_output', 'call_1', 'sunny', { approval_request_id: 'int_1' });
    outcome(log, 'plugin_call_output', 'call_2', 'refused', {
      approval_request_id: 'int_2',
      denied: true,
      is_error: true,
    });
    say(log, 'It is sunny.');
    log.response.completed();
    const request = {
      id: 'int_1',
      type: 'mcp_approval_request',
      server_label: 'plugin',
      name: 'get_weather',
      arguments: '{"city":"Rome"}',
    } as const;
    const about = info();
    const { reader } = encode(log.logged(), {
      ...about,
      items: { ...about.items, approvals: new Map([['int_1', request]]) },
    });
    expect(reader.ended?.output).toMatchObject([
      { type: 'mcp_call', approval_request_id: 'int_1', arguments: '{"city":"Rome"}', output: 'sunny' },
      { type: 'message' },
    ]);
    expect(reader.types.filter((type) => type.includes('mcp_call'))).toEqual([
      'response.mcp_call.in_progress',
      'response.mcp_call_arguments.delta',
      'response.mcp_call_arguments.done',
      'response.mcp_call.completed',
    ]);
  });

  it('ends a failed, a cut and a cancelled response as readers expect', () => {
    const ends = (end: (log: ScriptedLog) => void): WireEvent[] => {
      const log = begun();
      call(log, 'plugin_call', 'call_1', 'get_weather');
      log.response.createMessageBuilder().createContentBuilder().addTextDelta('So');
      end(log);
      return encode(log.logged()).reader.events;
    };
    const failed = ends((log) => log.response.failed({ code: 'MODEL_QUOTA_EXCEEDED', message: 'Used up' }));
    expect(failed.at(-1)).toMatchObject({
      type: 'response.failed',
      response: {
        status: 'failed',
        error: { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'Used up', param: null },
        output: [
          { type: 'mcp_call', status: 'incomplete' },
          { type: 'message', status: 'incomplete', content: [{ text: 'So' }] },
        ],
      },
    });
    const cut = ends((log) => log.response.incomplete({ code: 'max_output_tokens', message: 'cut' }));
    expect(cut.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, error: null },
    });
    const cancelled = ends((log) => log.response.canceled());
    expect(cancelled.at(-1)).toMatchObject({ type: 'response.incomplete', response: { status: 'cancelled' } });
    expect(itemsOf(cancelled, 'done')).toEqual([
      ['message', 'incomplete', 'msg_2'],
      ['mcp_call', 'incomplete', 'mcp_1'],
    ]);
  });

  it('goes on after a lost worker: what was half done is cut and not in the end', () => {
    const log = begun();
    call(log, 'plugin_call', 'call_1', 'get_weather');
    log.response.createMessageBuilder().createContentBuilder().addTextDelta('Once');
    const discardedMessageIds = ['msg_1', 'msg_2'];
    log.response.discard(discardedMessageIds);
    log.events.push({ object: 'custom', name: RUN_RECOVERED, value: { attempt: 2, discardedMessageIds } });
    say(log, 'Again.');
    log.response.completed();
    const { reader } = encode(log.logged());
    expect(reader.ended?.output).toMatchObject([{ content: [{ text: 'Again.' }] }]);
  });

  it('resumes after any number with exactly the frames that follow', () => {
    const log = begun();
    call(log, 'plugin_call', 'call_1', 'get_weather');
    outcome(log, 'plugin_call_output', 'call_1', 'sunny');
    say(log, 'It is sunny.');
    log.response.completed();
    const frames = (after: number): string[] => {
      const encoder = new ResponsesEncoder(info(), after);
      return log.logged().flatMap((event) => encoder.next(event));
    };
    const all = frames(-1);
    for (let after = -1; after < all.length; after += 1) expect(frames(after)).toEqual(all.slice(after + 1));
  });

  it('shows pictures and data of an answer as text', () => {
    const log = begun();
    const message = log.response.createMessageBuilder();
    message.createContentBuilder('image').setImageUrl('https://example.org/a.png');
    message.createContentBuilder('data').setData({ a: 1 });
    message.complete();
    log.response.completed();
    const { reader } = encode(log.logged());
    expect(reader.ended?.output).toMatchObject([
      { content: [{ text: '![image](https://example.org/a.png)' }, { text: '{"a":1}' }] },
    ]);
  });

  it('makes a legal stream of any log, whose end says what the stream has told', () => {
    fc.assert(
      fc.property(calls, endings, (program, ending) => {
        const interpreter = new Interpreter();
        interpreter.run(program);
        interpreter.try(() => interpreter.end(ending));
        const log = interpreter.log.map((event, seq) => new Logged(seq, serializeEvent(event)));
        const encoder = new ResponsesEncoder(info());
        const { events } = parseResponseFrames(log.flatMap((event) => encoder.next(event)).join(''));
        const reader = new ResponsesReader(false);
        for (const event of events) reader.read(event);
        expect(reader.ended).toEqual(responseOf(info(), interpreter.response.getResponseData()));
      }),
      { numRuns: 200 },
    );
  });
});
