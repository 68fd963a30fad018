import { ScriptedLog } from '../../../test/support/scripted-log.js';
import { type Message, RUN_RECOVERED } from '../../events/index.js';
import type { InterruptEvent, OpenInterrupt } from '../../events/index.js';
import { AgKitEncoder, type AgKitEncoderOptions } from './ag-kit.encoder.js';
import { LOST_RESULT } from './shown-calls.js';
import { agKitEvents } from './testing/ag-kit-hook.js';

const ASKED: OpenInterrupt = {
  id: 'int_1',
  kind: 'approval',
  call_id: 'k1',
  tool_name: 'pay',
  arguments: '{"to":"Ana"}',
  server_label: 'local',
  reason: null,
  message: null,
  response_schema: null,
  may_edit: true,
  expires_at: null,
};

function begun(): ScriptedLog {
  const log = new ScriptedLog();
  log.response.inProgress();
  return log;
}

/** A call that is not complete yet. */
function open(log: ScriptedLog, id: string, args: readonly string[] = [], type: Message['type'] = 'plugin_call') {
  const message = log.response.createMessageBuilder('assistant', type);
  const content = message.createContentBuilder('data');
  content.addDataDelta({ call_id: id, name: 'pay', arguments: '' });
  for (const piece of args) content.addDataDelta({ arguments: piece });
  return { message, content };
}

function result(log: ScriptedLog, id: string, output: string): void {
  const message = log.response.createMessageBuilder('tool', 'plugin_call_output');
  message.createContentBuilder('data').addDataDelta({ call_id: id, name: 'pay', output });
  message.complete();
}

function say(log: ScriptedLog, text: string): void {
  const message = log.response.createMessageBuilder();
  message.createContentBuilder().addTextDelta(text);
  message.complete();
}

function interrupt(log: ScriptedLog, items: readonly OpenInterrupt[], reason: InterruptEvent['reason']): void {
  log.events.push({
    object: 'interrupt',
    id: 'interrupt_1',
    reason,
    message: null,
    call_ids: [],
    response_schema: null,
    items,
  });
  log.response.completed();
}

/** A worker is lost with these messages half-done. */
function lost(log: ScriptedLog, discardedMessageIds: string[]): void {
  log.response.discard(discardedMessageIds);
  log.events.push({ object: 'custom', name: RUN_RECOVERED, value: { attempt: 2, discardedMessageIds } });
}

const shown = (log: ScriptedLog, options?: AgKitEncoderOptions) =>
  agKitEvents(new AgKitEncoder(options), log.logged()).events;
const brief = (log: ScriptedLog): string[] =>
  shown(log).map((event) => {
    const { type, ...fields } = event;
    return [type, ...Object.values(fields as Record<string, unknown>).map(String)].join(' ');
  });

describe('the AG-Kit encoder', () => {
  it('results are held back while a call is open', () => {
    const log = begun();
    const first = open(log, 'k1', ['{"to":']);
    const second = open(log, 'k2', ['{}']);
    second.message.complete();
    result(log, 'k2', 'two');
    first.content.addDataDelta({ arguments: '"Ana"}' });
    first.message.complete();
    result(log, 'k1', 'one');
    log.response.completed();
    expect(brief(log)).toEqual([
      'tool-call-start k1 pay',
      'tool-call-args k1 {"to":',
      'tool-call-start k2 pay',
      'tool-call-args k2 {}',
      'tool-call-end k2',
      'tool-call-args k1 "Ana"}',
      'tool-call-end k1',
      'tool-result k2 two',
      'tool-result k1 one',
    ]);
  });

  it.each(['canceled', 'failed', 'incomplete'] as const)(
    'an incomplete call is not ended, and nothing is held back after it: %s',
    (ending) => {
      const log = begun();
      open(log, 'k1', ['{"to":']);
      open(log, 'k2', ['{}']).message.complete();
      result(log, 'k2', 'two');
      if (ending === 'canceled') log.response.canceled();
      else log.response[ending]({ code: 'AGENT_ERROR', message: 'boom' });
      expect(brief(log)).toEqual([
        'tool-call-start k1 pay',
        'tool-call-args k1 {"to":',
        'tool-call-start k2 pay',
        'tool-call-args k2 {}',
        'tool-call-end k2',
        'tool-result k2 two',
        // What was stopped is settled, so that nobody waits for it.
        ...(ending === 'canceled' ? ['tool-result k1 {"status":"stopped","reason":"stop_requested"}'] : []),
        `error ${ending === 'canceled' ? 'The run was canceled' : 'boom'}`,
      ]);
    },
  );

  it.each([
    ['from its beginning', ['{"to":"Ana"}'], ['tool-call-args k1 "Ana"}', 'tool-call-end k1', 'tool-result k1 paid']],
    [
      'in other pieces',
      ['{"t', 'o":"A', 'na"}'],
      ['tool-call-args k1 "A', 'tool-call-args k1 na"}', 'tool-call-end k1', 'tool-result k1 paid'],
    ],
    ['with other arguments, and then it has no end', ['{"amount":1}'], ['tool-result k1 paid']],
    ['with fewer arguments, and then it has no end', ['{"t'], ['tool-result k1 paid']],
  ])('a call that a recovered run makes again is continued, %s', (_, pieces, rest) => {
    const log = begun();
    const { message } = open(log, 'k1', ['{"to":']);
    lost(log, [message.id]);
    open(log, 'k1', pieces).message.complete();
    result(log, 'k1', 'paid');
    log.response.completed();
    expect(brief(log)).toEqual(['tool-call-start k1 pay', 'tool-call-args k1 {"to":', ...rest]);
  });

  it('a call is started once, although a recovered run makes a complete one again', () => {
    const log = begun();
    const { message } = open(log, 'k1', ['{}']);
    message.complete();
    lost(log, [message.id]);
    open(log, 'k1', ['{}']).message.complete();
    result(log, 'k1', 'paid');
    log.response.completed();
    expect(brief(log)).toEqual([
      'tool-call-start k1 pay',
      'tool-call-args k1 {}',
      'tool-call-end k1',
      'tool-result k1 paid',
    ]);
  });

  const CLIENT = 'function_call';

  /** The run waits for calls of the client. */
  function waits(log: ScriptedLog): void {
    interrupt(log, [], 'client_tool');
  }

  it('a call that a lost worker left open is settled and not made by the client', () => {
    const log = begun();
    const { message } = open(log, 'k1', ['{"to":"Ana"}'], CLIENT);
    message.complete();
    say(log, 'Paying.');
    const said = log.events.findLast((event) => event.object === 'message')?.id ?? '';
    expect(brief(log)).toEqual(['tool-call-start k1 pay', 'tool-call-args k1 {"to":"Ana"}']);
    lost(log, [message.id, said]);
    open(log, 'k1_2', ['{"to":"Bob"}'], CLIENT).message.complete();
    waits(log);
    expect(brief(log)).toEqual([
      'tool-call-start k1 pay',
      'tool-call-args k1 {"to":"Ana"}',
      'text Paying.',
      'tool-call-start k1_2 pay',
      'tool-call-args k1_2 {"to":"Bob"}',
      'tool-call-end k1_2',
      `tool-result k1 ${LOST_RESULT}`,
    ]);
  });

  it('a complete call of the client that is made again with the same id is continued', () => {
    const log = begun();
    const { message } = open(log, 'k1', ['{"to":"Ana"}'], CLIENT);
    message.complete();
    lost(log, [message.id]);
    open(log, 'k1', ['{"to":"Ana"}'], CLIENT).message.complete();
    waits(log);
    expect(brief(log)).toEqual(['tool-call-start k1 pay', 'tool-call-args k1 {"to":"Ana"}', 'tool-call-end k1']);
  });

  it('the calls of the client are shown in order once the answer that makes them is stored', () => {
    const log = begun();
    open(log, 'k1', ['{}'], CLIENT).message.complete();
    open(log, 'k2', ['{}']).message.complete();
    open(log, 'k3', ['{}'], CLIENT).message.complete();
    const shownSoFar = brief(log);
    expect(shownSoFar).toEqual(['tool-call-start k1 pay', 'tool-call-args k1 {}']);
    result(log, 'k2', 'two');
    const whole = ['k1', 'k2', 'k3'].flatMap((id) => [
      `tool-call-start ${id} pay`,
      `tool-call-args ${id} {}`,
      `tool-call-end ${id}`,
    ]);
    expect(brief(log)).toEqual([...whole, 'tool-result k2 two']);
    lost(log, []);
    waits(log);
    expect(brief(log)).toEqual([...whole, 'tool-result k2 two']);
  });

  it.each(['canceled', 'failed', 'incomplete'] as const)(
    'no call of a run that is %s is made by the client',
    (ending) => {
      const log = begun();
      open(log, 'k1', ['{}'], CLIENT).message.complete();
      if (ending === 'canceled') log.response.canceled();
      else log.response[ending]({ code: 'AGENT_ERROR', message: 'boom' });
      expect(shown(log).map(({ type }) => type)).toEqual(['tool-call-start', 'tool-call-args', 'error']);
    },
  );

  it('a call of the server that is not made again is reported as lost', () => {
    const log = begun();
    const { message } = open(log, 'k1', ['{}']);
    message.complete();
    lost(log, [message.id]);
    open(log, 'k2', ['{}']).message.complete();
    result(log, 'k2', 'two');
    log.response.completed();
    expect(brief(log).slice(-3)).toEqual(['tool-call-end k2', `tool-result k1 ${LOST_RESULT}`, 'tool-result k2 two']);
  });

  it('the partial answer of a lost worker is separated from the complete one', () => {
    const log = begun();
    const half = log.response.createMessageBuilder();
    half.createContentBuilder().addTextDelta('Hal');
    lost(log, [half.id]);
    say(log, 'Half and whole.');
    log.response.completed();
    expect(brief(log)).toEqual(['text Hal', 'text \n\nHalf and whole.']);
  });

  it.each([
    ['for a tool', {}, 'Your permission is needed for pay.'],
    ['with its own words', { message: 'Pay Ana?' }, 'Pay Ana?'],
    ['for an input', { kind: 'input', tool_name: null }, 'Your answer is needed.'],
  ] as const)('a text precedes an interrupt of a turn without text, %s', (_, fields, lead) => {
    const log = begun();
    interrupt(log, [{ ...ASKED, ...fields }], 'kind' in fields ? 'input' : 'approval');
    expect(shown(log)).toMatchObject([
      { type: 'text', content: lead },
      { type: 'interrupt', id: 'int_1', reason: expect.any(String) as string },
    ]);
  });

  it('blank text counts as no text', () => {
    const log = begun();
    say(log, ' \n');
    interrupt(log, [ASKED], 'approval');
    expect(shown(log).map(({ type }) => type)).toEqual(['text', 'text', 'interrupt']);
  });

  it('one interrupt is sent last, with the number of those that follow', () => {
    const log = begun();
    open(log, 'k1', ['{"to":"Ana"}']).message.complete();
    interrupt(
      log,
      [
        { ...ASKED, reason: 'money' },
        { ...ASKED, id: 'int_2' },
      ],
      'approval',
    );
    const events = shown(log);
    expect(events.map(({ type }) => type)).toEqual(['tool-call-start', 'tool-call-args', 'tool-call-end', 'interrupt']);
    expect(events.at(-1)).toEqual({
      type: 'interrupt',
      id: 'int_1',
      reason: 'money',
      payload: {
        type: 'approval',
        message: null,
        reason: 'money',
        toolCallId: 'k1',
        toolName: 'pay',
        arguments: { to: 'Ana' },
        serverLabel: 'local',
        mayEdit: true,
        others: 1,
      },
    });
  });

  it('tools of the client make no interrupt', () => {
    const log = begun();
    open(log, 'k1', ['{}'], 'function_call').message.complete();
    interrupt(log, [], 'client_tool');
    expect(shown(log).map(({ type }) => type)).toEqual(['tool-call-start', 'tool-call-args', 'tool-call-end']);
  });

  it('an error is sent as text first if configured', () => {
    const log = begun();
    log.response.failed({ code: 'AGENT_ERROR', message: 'boom' });
    expect(shown(log, { errorText: 'Sorry.' })).toEqual([
      { type: 'text', content: 'Sorry.' },
      { type: 'error', error: 'boom' },
    ]);
  });

  it('the stream ends with [DONE] only if the run has ended', () => {
    const log = begun();
    say(log, 'Hi');
    expect(agKitEvents(new AgKitEncoder(), log.logged()).done).toBe(false);
    log.response.completed();
    expect(agKitEvents(new AgKitEncoder(), log.logged()).done).toBe(true);
  });
});
