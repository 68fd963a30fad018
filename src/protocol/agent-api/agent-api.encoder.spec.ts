import fc from 'fast-check';
import { ChatUiReducer, parseFrames } from '../../../test/support/chat-ui-reducer.js';
import { ScriptedLog } from '../../../test/support/scripted-log.js';
import {
  type AgentResponse,
  type LoggedEvent,
  type MessageBuilder,
  ResponseFold,
  RUN_RECOVERED,
} from '../../events/index.js';
import { SkipFrames } from '../wire/index.js';
import { AgentApiEncoder } from './agent-api.encoder.js';

const DONE = 'data: [DONE]\n\n';

function encode(log: readonly LoggedEvent[], startingAfter = -1, doneFrame = true): string[] {
  const encoder = new AgentApiEncoder({ doneFrame });
  const skip = new SkipFrames(startingAfter + 1);
  return [...log.flatMap((event) => [...skip.take(encoder.next(event))]), ...encoder.end()];
}

/** The frames without what every frame of a golden stream repeats. */
function outline(frames: readonly string[]): string[] {
  return parseFrames(frames.join('')).map((frame) => {
    const value = frame.text ?? frame.data ?? frame.image_url ?? frame.refusal;
    const parts = [
      frame.sequence_number,
      frame.object,
      frame.object === 'content' ? `${frame.type as string}#${frame.index as number}` : frame.type,
    ];
    const delta = frame.object === 'content' ? [`delta:${frame.delta as boolean}`, JSON.stringify(value)] : [];
    return [...parts, frame.status, ...delta]
      .filter((part) => part !== undefined)
      .map(String)
      .join(' ');
  });
}

function reduced(frames: readonly string[]): ChatUiReducer {
  const ui = new ChatUiReducer();
  for (const frame of parseFrames(frames.join(''))) ui.apply(frame);
  return ui;
}

function folded(log: readonly LoggedEvent[]): AgentResponse {
  const fold = new ResponseFold();
  for (const { event } of log) fold.apply(event);
  return fold.response() as AgentResponse;
}

describe('AgentApiEncoder', () => {
  it('a plain answer has the expected bytes', () => {
    const log = new ScriptedLog();
    const content = log.response.createMessageBuilder().createContentBuilder();
    content.addTextDelta('It is "so"\n');
    content.addTextDelta(' 晴\u2028');
    log.response.completed({ usage: { input_tokens: 3, output_tokens: 2 } });
    const head = '"object":"response"';
    const whole = '"text":"It is \\"so\\"\\n 晴\u2028"';
    const message = '"error":null,"id":"msg_1","type":"message","role":"assistant"';
    const rest = '"code":null,"message":null,"usage":null,"metadata":null';
    const piece =
      '"object":"content","status":"in_progress","error":null,"type":"text","index":0,"delta":true,"msg_id":"msg_1"';
    const closed = `{"object":"content","status":"completed","error":null,"type":"text","index":0,"delta":false,"msg_id":"msg_1",${whole}}`;
    const messageDone = `{"object":"message","status":"completed",${message},"content":[${closed}],${rest}}`;
    const times = '"id":"response_1","created_at":1795253520';
    expect(encode(log.logged())).toEqual([
      `data: {"sequence_number":0,${head},"status":"created","error":null,${times},"completed_at":null,"output":[],"usage":null,"session_id":"s1"}\n\n`,
      `data: {"sequence_number":1,${head},"status":"in_progress","error":null,${times},"completed_at":null,"output":[],"usage":null,"session_id":"s1"}\n\n`,
      `data: {"sequence_number":2,"object":"message","status":"created",${message},"content":[],${rest}}\n\n`,
      `data: {"sequence_number":3,"object":"message","status":"in_progress",${message},"content":[],${rest}}\n\n`,
      `data: {"sequence_number":4,${piece},"text":"It is \\"so\\"\\n"}\n\n`,
      `data: {"sequence_number":5,${piece},"text":" 晴\u2028"}\n\n`,
      `data: {"sequence_number":6,${closed.slice(1)}\n\n`,
      `data: {"sequence_number":7,${messageDone.slice(1)}\n\n`,
      `data: {"sequence_number":8,${head},"status":"completed","error":null,${times},"completed_at":1795253520,"output":[${messageDone}],"usage":{"input_tokens":3,"output_tokens":2},"session_id":"s1"}\n\n`,
      DONE,
    ]);
  });

  it('reasoning is a separate message before the answer', () => {
    const log = new ScriptedLog();
    const reasoning = log.response.createMessageBuilder('assistant', 'reasoning');
    reasoning.createContentBuilder().addTextDelta('hm');
    reasoning.complete();
    log.response.createMessageBuilder().createContentBuilder().addTextDelta('yes');
    log.response.completed();
    expect(outline(encode(log.logged()))).toEqual([
      '0 response created',
      '1 response in_progress',
      '2 message reasoning created',
      '3 message reasoning in_progress',
      '4 content text#0 in_progress delta:true "hm"',
      '5 content text#0 completed delta:false "hm"',
      '6 message reasoning completed',
      '7 message message created',
      '8 message message in_progress',
      '9 content text#0 in_progress delta:true "yes"',
      '10 content text#0 completed delta:false "yes"',
      '11 message message completed',
      '12 response completed',
    ]);
  });

  it('streamed arguments become complete values, also of parallel calls', () => {
    const log = new ScriptedLog();
    const calls = ['a', 'b'].map((id) => {
      const content = log.response.createMessageBuilder('assistant', 'plugin_call').createContentBuilder('data');
      content.addDataDelta({ call_id: id, name: 'get_weather', arguments: '' });
      return content;
    });
    for (const piece of ['{"city":', '"HZ"}']) for (const call of calls) call.addDataDelta({ arguments: piece });
    for (const message of log.response.openMessages()) message.complete();
    log.response.completed();
    const shown = outline(encode(log.logged())).filter((line) => line.includes('content'));
    expect(shown).toEqual([
      '4 content data#0 in_progress delta:true {"call_id":"a","name":"get_weather","arguments":""}',
      '7 content data#0 in_progress delta:true {"call_id":"b","name":"get_weather","arguments":""}',
      '8 content data#0 in_progress delta:true {"call_id":"a","name":"get_weather","arguments":"{\\"city\\":"}',
      '9 content data#0 in_progress delta:true {"call_id":"b","name":"get_weather","arguments":"{\\"city\\":"}',
      '10 content data#0 in_progress delta:true {"call_id":"a","name":"get_weather","arguments":"{\\"city\\":\\"HZ\\"}"}',
      '11 content data#0 in_progress delta:true {"call_id":"b","name":"get_weather","arguments":"{\\"city\\":\\"HZ\\"}"}',
      '12 content data#0 completed delta:false {"call_id":"a","name":"get_weather","arguments":"{\\"city\\":\\"HZ\\"}"}',
      '14 content data#0 completed delta:false {"call_id":"b","name":"get_weather","arguments":"{\\"city\\":\\"HZ\\"}"}',
    ]);
  });

  it('a call is shown with its output, and a client tool call is the last message of a completed response', () => {
    const log = new ScriptedLog();
    const add = (type: 'plugin_call' | 'plugin_call_output' | 'function_call', data: Record<string, string>) => {
      const message = log.response.createMessageBuilder(type === 'plugin_call_output' ? 'tool' : 'assistant', type);
      message.createContentBuilder('data').setData(data);
      message.complete();
    };
    add('plugin_call', { call_id: 'c1', name: 'get_weather', arguments: '{}' });
    add('plugin_call_output', { call_id: 'c1', name: 'get_weather', output: 'sunny' });
    add('function_call', { call_id: 'c2', name: 'open_window', arguments: '{}' });
    log.events.push({
      object: 'interrupt',
      id: 'i1',
      reason: 'client_tool',
      message: null,
      call_ids: ['c2'],
      response_schema: null,
      items: [],
    });
    const response = log.response.completed();
    const frames = encode(log.logged());
    expect(frames.join('')).not.toContain('interrupt');
    expect(outline(frames).at(-1)).toBe('17 response completed');
    expect(outline(frames).filter((line) => line.includes('delta:true'))).toHaveLength(3);
    expect(reduced(frames).isFinished).toBe(true);
    expect(response.output?.at(-1)?.type).toBe('function_call');
  });

  it.each([
    ['failed', (log: ScriptedLog) => log.response.failed({ code: 'MODEL_TIMEOUT', message: 'too slow' })],
    ['canceled', (log: ScriptedLog) => log.response.canceled()],
    ['incomplete', (log: ScriptedLog) => log.response.incomplete()],
  ] as const)('the partial text of a run that is %s is kept', (status, end) => {
    const log = new ScriptedLog();
    log.response.createMessageBuilder().createContentBuilder().addTextDelta('half an ans');
    end(log);
    const frames = encode(log.logged());
    const { state } = reduced(frames);
    expect(state.status).toBe(status);
    expect(state.output[0]?.content[0]).toMatchObject({ text: 'half an ans', delta: false });
    expect(frames.at(-1)).toBe(DONE);
  });

  it('events that the Agent API does not have are left out', () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    const lost = log.response.createMessageBuilder();
    lost.createContentBuilder().addTextDelta('lost');
    log.response.discard([lost.id]);
    log.events.push({ object: 'custom', name: RUN_RECOVERED, value: { attempt: 2, discardedMessageIds: [lost.id] } });
    log.events.push({ object: 'step', name: 'x', status: 'started' });
    log.response.createMessageBuilder().createContentBuilder().addTextDelta('found');
    log.response.completed();
    const frames = encode(log.logged());
    expect(frames.join('')).not.toContain('run.recovered');
    expect(parseFrames(frames.join('')).map((frame) => frame.sequence_number)).toEqual(
      frames.slice(0, -1).map((_, index) => index),
    );
    expect(reduced(frames).state.output.map(({ content }) => content[0]?.text)).toEqual(['found']);
  });

  it('complete values are sent after a text with deltas was replaced', () => {
    const log = new ScriptedLog();
    const content = log.response.createMessageBuilder().createContentBuilder();
    content.addTextDelta('wrong');
    content.setText('right');
    content.addTextDelta(' on');
    log.response.completed();
    const frames = encode(log.logged());
    expect(outline(frames).filter((line) => line.includes('content'))).toEqual([
      '4 content text#0 in_progress delta:true "wrong"',
      '5 content text#0 in_progress delta:false "right"',
      '6 content text#0 in_progress delta:false "right on"',
      '7 content text#0 completed delta:false "right on"',
    ]);
    expect(reduced(frames.slice(0, 7)).state.output[0]?.content).toMatchObject([{ text: 'right on' }]);
  });

  it('a slot that begins with a complete value is sent as a delta', () => {
    const log = new ScriptedLog();
    const message = log.response.createMessageBuilder();
    message.addContent({ type: 'text', text: 'see' });
    message.addContent({ type: 'image', image_url: 'data:image/png;base64,AA==' });
    message.complete();
    const frames = encode(log.logged());
    expect(
      reduced(frames.filter((frame) => !frame.includes('"object":"message","status":"completed"'))).state.output[0]
        ?.content,
    ).toMatchObject([
      { type: 'text', text: 'see', delta: false },
      { type: 'image', image_url: 'data:image/png;base64,AA==', delta: false },
    ]);
  });

  it('the size of the frames of a long data value is limited', () => {
    const log = new ScriptedLog();
    const content = log.response.createMessageBuilder('assistant', 'plugin_call').createContentBuilder('data');
    content.addDataDelta({ call_id: 'c', name: 'write', arguments: '' });
    for (let piece = 0; piece < 4000; piece += 1) content.addDataDelta({ arguments: 'twenty characters of' });
    log.response.completed();
    const frames = encode(log.logged());
    expect(frames.join('').length).toBeLessThan(4_000_000);
    const last = parseFrames(frames.join('')).findLast(({ object }) => object === 'content');
    expect((last?.data as { arguments: string }).arguments).toHaveLength(80_000);
  });

  it('[DONE] is left out if requested or if the run has not ended', () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    expect(encode(log.logged())).toHaveLength(2);
    log.response.completed();
    expect(encode(log.logged(), -1, false)).toHaveLength(3);
  });

  it('the chat UI shows the same as the fold, from every cursor', () => {
    fc.assert(
      fc.property(
        fc.array(steps, { maxLength: 40 }),
        fc.constantFrom('completed', 'failed', 'canceled'),
        fc.nat(),
        (script, end, cut) => {
          const log = new ScriptedLog();
          log.response.inProgress();
          let message: MessageBuilder | undefined;
          for (const step of script) message = step(log, message);
          if (end === 'failed') log.response.failed({ code: 'AGENT_ERROR', message: 'boom' });
          else log.response[end]();
          const logged = log.logged();
          const frames = encode(logged);
          const ui = reduced(frames);
          expect(ui.dropped).toEqual([]);
          expect(ui.state.output).toEqual(folded(logged).output);
          const beforeEnd = reduced(frames.slice(0, -2)).state.output;
          expect(beforeEnd.map(comparable)).toEqual(folded(logged).output?.map(comparable));
          const cursor = (cut % frames.length) - 1;
          expect(encode(logged, cursor)).toEqual(frames.slice(cursor + 1));
        },
      ),
      { numRuns: 300 },
    );
  });
});

/** Messages and their contents, without what only an event has. */
function comparable(message: object): unknown {
  return JSON.parse(JSON.stringify(message, (key, value: unknown) => (key === 'sequence_number' ? undefined : value)));
}

type Step = (log: ScriptedLog, message: MessageBuilder | undefined) => MessageBuilder | undefined;

const text = fc.oneof(fc.string({ maxLength: 6 }), fc.constantFrom('"', '\n', '晴', '\u2028', '\ud83d\ude00'));
const data = fc.dictionary(
  fc.constantFrom('a', 'arguments', 'n'),
  fc.oneof(fc.string({ maxLength: 4 }), fc.integer(), fc.array(fc.nat(9), { maxLength: 2 })),
);

/** One slot at a time, as the model loop writes them; values of every kind. */
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom('message', 'reasoning', 'plugin_call').map((type): Step => (log, message) => {
    message?.complete();
    return log.response.createMessageBuilder('assistant', type);
  }),
  fc.array(fc.tuple(fc.constantFrom('delta', 'set'), text), { maxLength: 5 }).map((pieces): Step => (_, message) => {
    const content = message?.createContentBuilder();
    for (const [what, value] of pieces)
      if (what === 'delta') content?.addTextDelta(value);
      else content?.setText(value);
    content?.complete();
    return message;
  }),
  fc.array(fc.tuple(fc.constantFrom('delta', 'set'), data), { maxLength: 5 }).map((pieces): Step => (_, message) => {
    const content = message?.createContentBuilder('data');
    for (const [what, value] of pieces)
      if (what === 'delta') content?.addDataDelta(value);
      else content?.setData(value);
    content?.complete();
    return message;
  }),
  text.map((url): Step => (_, message) => {
    message?.addContent({ type: 'image', image_url: url });
    message?.addContent({ type: 'refusal', refusal: url });
    return message;
  }),
  fc.constant<Step>((log, message) => {
    log.events.push({ object: 'custom', name: 'note', value: null });
    return message;
  }),
);
