import { SequentialIds, type WallClock } from '../../common/index.js';
import {
  ResponseFold,
  serializeEvent,
  StreamGrammar,
  textMessage,
  type BuilderEvent,
  type ResponseBuilderOptions,
} from '../index.js';
import { ResponseBuilder } from './response-builder.js';

const ERROR = { code: 'AGENT_ERROR', message: 'boom' };
let now = 1_795_253_520_987;
const clock: WallClock = { now: () => now };

function builder(options: ResponseBuilderOptions = {}): ResponseBuilder {
  now = 1_795_253_520_987;
  return new ResponseBuilder({
    sessionId: 's1',
    responseId: 'response_1',
    ids: new SequentialIds(),
    clock,
    ...options,
  });
}

function names(events: readonly BuilderEvent[]): string[] {
  return events.map((event) => `${event.object} ${event.status}`);
}

const ANNOUNCED = ['response created', 'response in_progress', 'message created', 'message in_progress'];

describe('ResponseBuilder', () => {
  it('streaming tokens makes the standard sequence of seven events and one per token', () => {
    const response = builder();
    const events = [...response.generateStreamingResponse(['Hello'])];
    expect(names(events)).toEqual([
      ...ANNOUNCED,
      'content in_progress',
      'content completed',
      'message completed',
      'response completed',
    ]);
    expect(response.drain()).toEqual(events);
    const grammar = new StreamGrammar();
    const fold = new ResponseFold();
    for (const event of events) {
      grammar.accept(event);
      fold.apply(event);
      expect(JSON.parse(serializeEvent(event))).toEqual(event);
    }
    expect(grammar.terminated).toBe(true);
    expect(fold.response()).toEqual(events.at(-1));
  });

  it('any number of tokens can be streamed', () => {
    expect([...builder().generateStreamingResponse(['a', 'b', 'c'])]).toHaveLength(10);
    expect([...builder().generateStreamingResponse([])]).toHaveLength(8);
  });

  it('streaming tokens does not repeat an announcement, and begins a new message after an end', () => {
    const response = builder();
    response.created();
    response.inProgress();
    expect(names([...response.generateStreamingResponse(['a'])]).slice(0, 2)).toEqual([
      'message created',
      'message in_progress',
    ]);
    const again = [...response.generateStreamingResponse(['b'], 'tool')];
    expect(again).toHaveLength(8);
    expect(again[0]).toMatchObject({ id: 'response_1', session_id: 's1' });
    expect(again[2]).toMatchObject({ role: 'tool' });
  });

  it('response events hold all fields', () => {
    const response = builder();
    expect(response.created()).toEqual({
      object: 'response',
      status: 'created',
      error: null,
      id: 'response_1',
      created_at: 1_795_253_520,
      completed_at: null,
      output: [],
      usage: null,
      session_id: 's1',
    });
    expect(response.inProgress()).toMatchObject({ status: 'in_progress', output: [] });
    now += 2_000;
    expect(response.completed()).toMatchObject({
      status: 'completed',
      created_at: 1_795_253_520,
      completed_at: 1_795_253_522,
      output: [],
    });
  });

  it('an id is generated if none is given', () => {
    expect(new ResponseBuilder().created().id).toMatch(/^response_[0-9a-f-]{36}$/);
    expect(new ResponseBuilder().createMessageBuilder().id).toMatch(/^msg_[0-9a-f-]{36}$/);
  });

  it('missing announcements are recorded', () => {
    const response = builder();
    response.createMessageBuilder().createContentBuilder().addTextDelta('Hi');
    expect(names(response.drain())).toEqual([...ANNOUNCED, 'content in_progress']);
    response.completed();
    expect(names(response.drain())).toEqual(['content completed', 'message completed', 'response completed']);
    expect(response.drain()).toEqual([]);
  });

  it('events go to the sink instead of the queue', () => {
    const taken: BuilderEvent[] = [];
    const response = builder({ sink: (event) => taken.push(event) });
    const event = response.inProgress();
    expect(names(taken)).toEqual(['response created', 'response in_progress']);
    expect(taken[1]).toBe(event);
    expect(response.drain()).toEqual([]);
  });

  it('a sink that throws leaves the state unchanged', () => {
    let broken = true;
    const response = builder({
      sink: () => {
        if (broken) throw new Error('fenced');
      },
    });
    expect(() => response.created()).toThrow('fenced');
    broken = false;
    expect(response.created().status).toBe('created');
  });

  it.each([
    ['created', 'response response_1 was already created'],
    ['inProgress', 'response response_1 is already in progress'],
  ] as const)('%s is refused once the response is in progress', (call, sentence) => {
    const response = builder();
    response.inProgress();
    expect(() => response[call]()).toThrow(sentence);
    expect(response.drain()).toHaveLength(2);
  });

  it('after the end, completed is repeated and everything else refused', () => {
    const response = builder();
    const message = response.createMessageBuilder();
    const unused = response.createMessageBuilder();
    const content = message.createContentBuilder();
    content.addTextDelta('Hi');
    const event = response.completed();
    response.drain();
    expect(response.completed()).toBe(event);
    expect(content.complete()).toMatchObject({ text: 'Hi', status: 'completed' });
    expect(message.complete()).toBe(event.output?.[0]);
    const calls: (() => unknown)[] = [
      () => response.created(),
      () => response.inProgress(),
      () => response.failed(ERROR),
      () => response.canceled(),
      () => response.rejected(ERROR),
      () => response.incomplete(),
      () => response.createMessageBuilder(),
      () => response.discard([]),
      () => response.addMessage(textMessage({ id: 'm', role: 'user', text: '' })),
      () => message.createContentBuilder(),
      () => message.incomplete(),
      () => content.addTextDelta('!'),
      () => content.setText('!'),
      () => unused.created(),
      () => unused.createContentBuilder(),
      () => unused.complete(),
    ];
    for (const call of calls) expect(call).toThrow(expect.objectContaining({ name: 'BuilderError', code: 'GRAMMAR' }));
    expect(response.drain()).toEqual([]);
  });

  it.each([
    ['failed', 'incomplete', ERROR],
    ['incomplete', 'incomplete', null],
    ['canceled', 'canceled', null],
    ['completed', 'completed', null],
  ] as const)('the partial text stays in the output if the response ends as %s', (status, inner, error) => {
    const response = builder();
    response.createMessageBuilder().createContentBuilder().addTextDelta('partial');
    const event = status === 'failed' ? response.failed(ERROR) : response[status]();
    expect(event).toMatchObject({
      status,
      error,
      completed_at: 1_795_253_520,
      output: [
        { status: inner, content: [{ status: inner, text: 'partial', index: 0, msg_id: 'msg_1', delta: false }] },
      ],
    });
    expect(names(response.drain()).slice(-3)).toEqual([`content ${inner}`, `message ${inner}`, `response ${status}`]);
  });

  it('a response that never started can be rejected', () => {
    const response = builder();
    response.rejected(ERROR);
    expect(names(response.drain())).toEqual(['response created', 'response rejected']);
  });

  it('messages that were never announced are left out', () => {
    const response = builder();
    response.createMessageBuilder().createContentBuilder();
    expect(response.completed().output).toEqual([]);
  });

  it('messages are listed in the order of their announcements', () => {
    const response = builder();
    const first = response.createMessageBuilder();
    response.createMessageBuilder('assistant', 'reasoning').complete();
    first.complete();
    expect(response.completed().output?.map(({ id, type }) => [id, type])).toEqual([
      ['msg_2', 'reasoning'],
      ['msg_1', 'message'],
    ]);
  });

  it('the usage is the sum of its messages unless one is given', () => {
    const response = builder();
    response.createMessageBuilder().complete({ usage: { input_tokens: 1, output_tokens: 2 } });
    response.createMessageBuilder().complete();
    response.createMessageBuilder().complete({ usage: { input_tokens: 3, output_tokens: 4, reasoning_tokens: 1 } });
    expect(response.completed().usage).toEqual({ input_tokens: 4, output_tokens: 6, reasoning_tokens: 1 });
    expect(builder().completed().usage).toBeNull();
    const cut = builder();
    cut.createMessageBuilder().complete({ usage: { input_tokens: 1, output_tokens: 2 } });
    cut.addUsage({ input_tokens: 5, output_tokens: 1, total_tokens: 6 });
    expect(cut.canceled().usage).toEqual({ input_tokens: 6, output_tokens: 3, total_tokens: 9 });
    const usage = { input_tokens: 9, output_tokens: 9 };
    expect(builder().canceled({ usage }).usage).toEqual(usage);
  });

  it('a reset begins a new response of the same session', () => {
    const response = builder({ responseId: 'response_0' });
    const message = response.createMessageBuilder();
    message.created();
    now += 5_000;
    response.reset();
    expect(response.drain()).toEqual([]);
    expect(response.getResponseData()).toMatchObject({
      id: 'response_1',
      status: 'created',
      created_at: 1_795_253_525,
      output: [],
      session_id: 's1',
    });
    expect(() => message.createContentBuilder()).toThrow('after message msg_1 is canceled');
    expect(names([response.created()])).toEqual(['response created']);
  });

  it('a reset is refused once a sink has events', () => {
    const response = builder({ sink: () => undefined });
    response.reset();
    response.created();
    expect(() => response.reset()).toThrow('is being recorded and cannot be reset');
  });

  it('complete messages can be added', () => {
    const response = builder();
    const message = textMessage({ id: 'msg_x', role: 'assistant', text: 'Hi', metadata: { a: 1 } });
    expect(response.addMessage(message)).toEqual(message);
    expect(names(response.drain())).toEqual([
      ...ANNOUNCED,
      'content in_progress',
      'content completed',
      'message completed',
    ]);
    expect(response.completed().output).toEqual([message]);
  });

  it('updates change open messages, ignore unknown ones and are refused for closed ones', () => {
    const response = builder();
    const message = response.createMessageBuilder();
    message.createContentBuilder().addTextDelta('He');
    const update = textMessage({ id: message.id, role: 'assistant', text: 'Hello' });
    expect(response.updateMessage({ ...update, id: 'unknown' })).toBeUndefined();
    expect(response.updateMessage({ ...update, status: 'in_progress' })).toMatchObject({
      status: 'in_progress',
      content: [{ text: 'Hello' }],
    });
    expect(response.updateMessage(update)).toEqual(update);
    response.drain();
    expect(() => response.updateMessage(update)).toThrow('updateMessage after message msg_1 is closed');
    expect(() => response.addMessage(update)).toThrow('updateMessage after message msg_1 is closed');
    expect(response.drain()).toEqual([]);
  });

  it('a response can be resumed from its fold', () => {
    const before = builder();
    before.addMessage(textMessage({ id: 'msg_done', role: 'assistant', text: 'done' }));
    const open = before.createMessageBuilder();
    open.createContentBuilder().addTextDelta('par');
    const fold = new ResponseFold();
    for (const event of before.drain()) fold.apply(event);
    expect(fold.openMessageIds()).toEqual([open.id]);

    const after = builder({ resume: fold.response(), responseId: 'ignored' });
    expect(after.openMessages().map((message) => message.id)).toEqual([open.id]);
    expect(names(after.discard([open.id, 'unknown']))).toEqual(['message incomplete']);
    expect(names(after.drain())).toEqual(['content incomplete', 'message incomplete']);
    expect(after.openMessages()).toEqual([]);
    after.createMessageBuilder().addContent({ type: 'text', text: 'partial' });
    expect(after.completed()).toMatchObject({ id: 'response_1', created_at: 1_795_253_520, session_id: 's1' });
    expect(after.getResponseData().output?.map((message) => message.content)).toMatchObject([
      [{ text: 'done' }],
      [{ text: 'partial' }],
    ]);
  });

  it('a resumed response that has ended stays ended', () => {
    const ended = builder().completed();
    const response = builder({ resume: ended });
    expect(response.isEnded).toBe(true);
    expect(response.completed()).toEqual(ended);
    expect(response.drain()).toEqual([]);
    expect(() => response.canceled()).toThrow('canceled after response response_1 is completed');
  });
});
