import fc from 'fast-check';
import {
  parseResponseFrames,
  ResponsesReader,
  type WireEvent,
  type WireItem,
} from '../../../test/support/responses-reader.js';
import type { ScriptedLog } from '../../../test/support/scripted-log.js';
import { AppError } from '../../common/index.js';
import { LoggedEvent, RUN_RECOVERED, serializeEvent } from '../../events/index.js';
import { calls, endings, Interpreter } from '../../events/testing/random-program.js';
import { toHttpError } from '../http/errors/http-error.js';
import { RunFrames, SkipFrames } from '../wire/index.js';
import { responseOf } from './response-object.js';
import { ResponsesEncoder } from './responses.encoder.js';
import { begun, call, encode, info, itemsOf, outcome, say, USAGE } from './testing/encoded.js';

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

const REQUEST = { type: 'server_error', param: null };

/** What a reader gets of a log that then fails, or is cut. An error before the first frame is thrown. */
async function read(log: readonly LoggedEvent[], error?: Error, gone = new AbortController()): Promise<string> {
  const tail = async function* (): AsyncGenerator<readonly LoggedEvent[]> {
    for (const event of log) yield Promise.resolve([event]);
    if (error) throw error;
  };
  const source = new RunFrames(tail(), { encoder: new ResponsesEncoder(info()), signal: gone.signal });
  let text = '';
  try {
    for await (const frames of source) text += frames.join('');
  } catch (failure) {
    if (text === '') throw failure;
    text += source.errorFrames(toHttpError(failure))?.join('') ?? '';
  }
  return text;
}

describe('the Responses encoder', () => {
  it('a text has the events of the contract, with the complete response at the end', () => {
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

  it('a background response begins with queued', () => {
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

  it('reasoning becomes a summary, and a refusal a refusal', () => {
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
        phase: 'final_answer',
      },
    ]);
  });

  it('failed, incomplete and cancelled responses have their own end', () => {
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

  it('items that a lost worker left open are incomplete and not in the final response', () => {
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

  it('resuming after any number gives exactly the frames that follow', () => {
    const log = begun();
    call(log, 'plugin_call', 'call_1', 'get_weather');
    outcome(log, 'plugin_call_output', 'call_1', 'sunny');
    say(log, 'It is sunny.');
    log.response.completed();
    const frames = (after: number): string[] => {
      const encoder = new ResponsesEncoder(info());
      const skip = new SkipFrames(after + 1);
      return log.logged().flatMap((event) => skip.take(encoder.next(event)));
    };
    const all = frames(-1);
    for (let after = -1; after < all.length; after += 1) expect(frames(after)).toEqual(all.slice(after + 1));
  });

  it('pictures and data of an answer are shown as text', () => {
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

  it('any log gives a legal stream whose final response agrees with it', () => {
    fc.assert(
      fc.property(calls, endings, (program, ending) => {
        const interpreter = new Interpreter();
        interpreter.run(program);
        interpreter.try(() => interpreter.end(ending));
        const log = interpreter.log.map((event, seq) => new LoggedEvent(seq, serializeEvent(event)));
        const encoder = new ResponsesEncoder(info());
        const { events } = parseResponseFrames(log.flatMap((event) => encoder.next(event)).join(''));
        const reader = new ResponsesReader(false);
        for (const event of events) reader.read(event);
        expect(reader.ended).toEqual(responseOf(info(), interpreter.response.getResponseData()));
      }),
      { numRuns: 60 },
    );
  });

  it('an item of a limited output has the same status in the stream and in the final response', () => {
    fc.assert(
      fc.property(calls, (program) => {
        const interpreter = new Interpreter();
        // After a discard the model writes another message before it reaches a limit.
        interpreter.run(program.filter(({ what }) => what !== 'discard'));
        interpreter.try(() => interpreter.response.incomplete({ code: 'max_output_tokens', message: 'cut' }));
        const log = interpreter.log.map((event, seq) => new LoggedEvent(seq, serializeEvent(event)));
        const encoder = new ResponsesEncoder(info());
        const { events } = parseResponseFrames(log.flatMap((event) => encoder.next(event)).join(''));
        const done = new Map(
          events.flatMap(({ type, item }) => (type === 'response.output_item.done' ? [[item?.id, item?.status]] : [])),
        );
        const { output } = responseOf(info(), interpreter.response.getResponseData());
        // Random calls of the server may share an id, which leaves their output to one of them.
        const items = (output as WireItem[]).filter(({ type }) => type !== 'mcp_call');
        expect(items.map(({ id, status }) => [id, status])).toEqual(items.map(({ id }) => [id, done.get(id)]));
      }),
      { numRuns: 60 },
    );
  });
});

describe('the end of a Responses stream', () => {
  it('a log that cannot be read ends the stream with an error event of the next number', async () => {
    const log = begun();
    say(log, 'So');
    const { events, done } = parseResponseFrames(await read(log.logged(), new AppError('DATABASE_ERROR')));
    expect(done).toBe(true);
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      sequence_number: events.length - 1,
      code: 'service_unavailable',
      error: { ...REQUEST, code: 'service_unavailable' },
    });
  });

  it('an unexpected error is not described', async () => {
    const text = await read(begun().logged(), new TypeError('a secret'));
    expect(text).not.toContain('secret');
    expect(parseResponseFrames(text).events.at(-1)).toMatchObject({ type: 'error', code: 'server_error' });
  });

  it('an error before the first frame begins no stream', async () => {
    await expect(read([], new AppError('EVENTS_EXPIRED'))).rejects.toMatchObject({ code: 'EVENTS_EXPIRED' });
  });

  it('a log that stops early ends with an error event, unless the client has disconnected', async () => {
    const { events } = parseResponseFrames(await read(begun().logged()));
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'service_unavailable' });
    const gone = new AbortController();
    gone.abort();
    expect(await read(begun().logged(), undefined, gone)).not.toContain('event: error');
  });

  it('no error event follows the end of a response', async () => {
    const log = begun();
    log.response.completed();
    const { events, done } = parseResponseFrames(await read(log.logged()));
    expect([events.at(-1)?.type, done]).toEqual(['response.completed', true]);
  });
});
