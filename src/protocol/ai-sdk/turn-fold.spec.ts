import { ScriptedLog } from '../../../test/support/scripted-log.js';
import {
  dataMessage,
  type InterruptEvent,
  type LoggedEvent,
  type Message,
  type OpenInterrupt,
} from '../../events/index.js';
import type { Chunk, Level } from './chunk.types.js';
import { type FoldOptions, TurnFold } from './turn-fold.js';

const RUN = { runId: 'r1', createdAt: 0 };

function chunksOf(events: readonly LoggedEvent[], level: Level = 6, options: Partial<FoldOptions> = {}): Chunk[] {
  const fold = new TurnFold({ level, hasMetadata: false, isStatic: () => false, shown: (one) => one, ...options });
  return [...fold.begin(RUN), ...events.flatMap((event) => fold.next(event))];
}

/** A step that clients notice, although nothing is in it. */
const EMPTY_STEP = ['start-step', 'text-start', 'text-end', 'finish-step'];

/** A fold over a run of a turn. */
function folded(log: ScriptedLog, level: Level = 6): TurnFold {
  const fold = new TurnFold({ level, hasMetadata: false, isStatic: () => false, shown: (one) => one });
  fold.begin(RUN);
  for (const event of log.logged()) fold.next(event);
  return fold;
}

const types = (chunks: readonly Chunk[]): string[] => chunks.map(({ type }) => type);

/** A call of the server with its output. */
function call(log: ScriptedLog, args: string, output: string, metadata?: { is_error: true }): void {
  const made = log.response.createMessageBuilder('assistant', 'plugin_call');
  made.createContentBuilder('data').addDataDelta({ call_id: 'k1', name: 'look', arguments: args });
  made.complete();
  const given = log.response.createMessageBuilder('tool', 'plugin_call_output');
  given.createContentBuilder('data').addDataDelta({ call_id: 'k1', name: 'look', output });
  given.complete(metadata ? { metadata } : {});
}

function say(log: ScriptedLog, words: string, isWhole = true): string {
  const message = log.response.createMessageBuilder();
  message.createContentBuilder().addTextDelta(words);
  if (isWhole) message.complete();
  return message.id;
}

/** A turn as chunks (contract ui-message-stream, sections A4 and A5). */
describe('TurnFold', () => {
  it('level 5 has no reason of the end', () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    say(log, 'Hello');
    log.response.completed({});
    expect(chunksOf(log.logged(), 5).at(-1)).toEqual({ type: 'finish' });
    expect(chunksOf(log.logged(), 6).at(-1)).toEqual({ type: 'finish', finishReason: 'stop' });
  });

  it('arguments that are no JSON are an error of the input, at level 5 of the output', () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    call(log, '{"city"', 'The arguments are not valid', { is_error: true });
    log.response.completed({});
    expect(types(chunksOf(log.logged()))).toContain('tool-input-error');
    const five = chunksOf(log.logged(), 5);
    expect(types(five)).not.toContain('tool-input-error');
    expect(five).toContainEqual(expect.objectContaining({ type: 'tool-input-available', input: '{"city"' }));
    expect(types(five)).toContain('tool-output-error');
  });

  it('JSON with a member that clients refuse is text', () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    call(log, '{}', '{"__proto__":{"a":1}}');
    log.response.completed({});
    expect(chunksOf(log.logged())).toContainEqual(expect.objectContaining({ output: '{"__proto__":{"a":1}}' }));
  });

  it('a static tool has no dynamic part', () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    call(log, '{}', '1');
    log.response.completed({});
    const chunks = chunksOf(log.logged(), 6, { isStatic: (name) => name === 'look' });
    expect(chunks.filter((chunk) => 'dynamic' in chunk)).toEqual([]);
    expect(chunks).toContainEqual(expect.objectContaining({ type: 'tool-output-available', output: 1 }));
  });

  it.each<[Level, string[]]>([
    [6, ['start-step', 'text-start', 'text-delta', 'text-end', 'finish-step', 'start-step']],
    [7, ['start-step', 'text-start', 'text-delta', 'text-end', 'reset-step', 'finish-step']],
  ])('at level %d a step of a lost worker ends, and is written again', (level, expected) => {
    const log = new ScriptedLog();
    log.response.inProgress();
    const lost = say(log, 'Hel', false);
    log.response.discard([lost]);
    log.events.push({
      object: 'custom',
      name: 'run.recovered',
      value: { attempt: 2, discardedMessageIds: [lost], resumedFromStep: 0 },
    });
    say(log, 'Hello');
    log.response.completed({});
    const chunks = chunksOf(log.logged(), level);
    expect(types(chunks).slice(0, 6)).toEqual(expected);
    expect(types(chunks).filter((type) => type === 'text-start')).toHaveLength(2);
  });

  it('a call of a lost worker is discarded', () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    const made = log.response.createMessageBuilder('assistant', 'plugin_call');
    made.createContentBuilder('data').addDataDelta({ call_id: 'k1', name: 'look', arguments: '{"a' });
    log.response.discard([made.id]);
    log.events.push({
      object: 'custom',
      name: 'run.recovered',
      value: { attempt: 2, discardedMessageIds: [made.id], resumedFromStep: 0 },
    });
    say(log, 'Hello');
    log.response.completed({});
    expect(chunksOf(log.logged())).toContainEqual({
      type: 'tool-output-error',
      toolCallId: 'k1',
      errorText: 'discarded',
      dynamic: true,
      providerExecuted: true,
    });
  });

  it('the state is whole: when it is set, and after patches where the step ends', () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    log.events.push({ object: 'state', kind: 'snapshot', snapshot: { a: 1 } });
    say(log, 'Hello');
    log.events.push({ object: 'state', kind: 'delta', patch: [{ op: 'add', path: '/b', value: 2 }] });
    log.response.completed({});
    const states = chunksOf(log.logged()).filter(({ type }) => type === 'data-state');
    expect(states).toEqual([
      { type: 'data-state', id: 'state', data: { a: 1 } },
      { type: 'data-state', id: 'state', data: { a: 1, b: 2 } },
    ]);
  });

  it('events of agents are data under their name, unless it has a meaning here', () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    log.events.push({ object: 'custom', name: 'weather', value: 1 });
    log.events.push({ object: 'custom', name: 'state', value: 2 });
    log.response.completed({});
    expect(chunksOf(log.logged()).slice(0, 2)).toEqual([
      { type: 'data-weather', data: 1 },
      { type: 'data-custom', data: { name: 'state', value: 2 } },
    ]);
  });

  it('a run that fails ends with its sentence, or with that of the setting', () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    say(log, 'It is');
    log.response.failed({ code: 'AGENT_ERROR', message: 'No luck' });
    expect(chunksOf(log.logged()).at(-1)).toEqual({ type: 'error', errorText: 'No luck' });
    const told = chunksOf(log.logged(), 6, { errorText: 'Sorry' });
    expect(told.at(-1)).toEqual({ type: 'error', errorText: 'Sorry' });
  });

  /** A call of the client, and what the run waits for. */
  function askClient(log: ScriptedLog): void {
    const made = log.response.createMessageBuilder('assistant', 'function_call');
    made.createContentBuilder('data').addDataDelta({ call_id: 'k1', name: 'show_map', arguments: '{}' });
    made.complete();
  }

  const interrupt = (items: readonly OpenInterrupt[], callIds: readonly string[] = []): InterruptEvent => ({
    object: 'interrupt',
    id: 'i1',
    reason: items.length === 0 ? 'client_tool' : (items[0]?.kind ?? 'approval'),
    message: null,
    call_ids: callIds,
    response_schema: null,
    items,
  });

  const approval = (id: string, callId: string): OpenInterrupt => ({
    id,
    kind: 'approval',
    call_id: callId,
    tool_name: 'open_window',
    arguments: '{}',
    server_label: 'local',
    reason: null,
    message: null,
    response_schema: null,
    may_edit: false,
    expires_at: null,
  });

  /** A call that needs a person's word. */
  function askPerson(log: ScriptedLog, callId: string): void {
    const made = log.response.createMessageBuilder('assistant', 'plugin_call');
    made.created({ metadata: { permission: 'possible' } });
    made.createContentBuilder('data').addDataDelta({ call_id: callId, name: 'open_window', arguments: '{}' });
    made.complete();
  }

  const output = (callId: string): Message =>
    dataMessage({
      id: `of_${callId}`,
      role: 'tool',
      type: 'function_call_output',
      data: { call_id: callId, output: 'shown' },
    });

  it.each<[string, (log: ScriptedLog) => void, string]>([
    ['completed', (log) => void log.response.completed({}), 'finish'],
    ['canceled', (log) => void log.response.canceled(), 'abort'],
    ['failed', (log) => void log.response.failed({ code: 'AGENT_ERROR', message: 'No luck' }), 'error'],
  ])('a continuation that is %s without a step has an empty one, or helpers would send it for ever', (_, end, last) => {
    const first = new ScriptedLog();
    first.response.inProgress();
    askClient(first);
    first.events.push(interrupt([], ['k1']));
    first.response.completed({});
    const fold = folded(first);
    const second = new ScriptedLog('response_2');
    second.response.inProgress();
    end(second);
    fold.begin({ runId: 'r2', createdAt: 0 });
    fold.clientOutput(output('k1'));
    expect(types(second.logged().flatMap((event) => fold.next(event)))).toEqual([...EMPTY_STEP, last]);
  });

  it('a call of the client that is closed with the run is behind the last step', () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    askClient(log);
    log.response.canceled();
    expect(types(chunksOf(log.logged())).slice(-6)).toEqual(['finish-step', ...EMPTY_STEP, 'abort']);
  });

  it('a call of the server that may need permission says with its error who makes it', () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    askPerson(log, 'k1');
    log.response.failed({ code: 'AGENT_ERROR', message: 'No luck' });
    const chunks = chunksOf(log.logged());
    expect(chunks).toContainEqual(
      expect.objectContaining({ type: 'tool-output-error', toolCallId: 'k1', providerExecuted: true }),
    );
    expect(types(chunks).slice(-2)).toEqual(['finish-step', 'error']);
  });

  it('an approval that is asked for again says nothing', () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    askPerson(log, 'k1');
    askPerson(log, 'k2');
    log.events.push(interrupt([approval('a1', 'k1'), approval('a2', 'k2')]));
    log.response.completed({});
    const fold = folded(log);
    const second = new ScriptedLog('response_2');
    second.response.inProgress();
    second.events.push({ ...output('k1'), type: 'plugin_call_output' }, interrupt([approval('a2', 'k2')]));
    second.response.completed({});
    fold.begin({ runId: 'r2', createdAt: 0 });
    const chunks = second.logged().flatMap((event) => fold.next(event));
    expect(chunks).toMatchObject([
      { type: 'tool-output-available', toolCallId: 'k1' },
      { type: 'finish', finishReason: 'tool-calls' },
    ]);
  });

  it('at level 5 only the approval that was decided is settled', () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    askPerson(log, 'k1');
    askPerson(log, 'k2');
    log.events.push(interrupt([approval('a1', 'k1'), approval('a2', 'k2')]));
    log.response.completed({});
    const fold = folded(log, 5);
    const decided = [{ id: 'a1', callId: 'k1', status: 'approved' }];
    expect(fold.begin({ runId: 'r2', createdAt: 0 }, { decided })).toMatchObject([
      { type: 'data-approval-request', id: 'a1', data: { status: 'answered' } },
    ]);
    const left = [{ id: 'a2', callId: 'k2', status: 'cancelled' }];
    expect(fold.settled(left, { isWaiting: false })).toMatchObject([
      { type: 'data-approval-request', id: 'a2', data: { status: 'cancelled' } },
      { type: 'tool-output-error', toolCallId: 'k2' },
      { type: 'tool-output-error', toolCallId: 'k1' },
    ]);
  });

  it('the pages that a text cites are sources, each once', () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    const message = log.response.createMessageBuilder();
    message.createContentBuilder().addTextDelta('Paris is in France.');
    const cited = { url: 'https://example.org/a', title: 'A page', start_index: 0, end_index: 5 };
    message.complete({
      metadata: {
        citations: [cited, { ...cited, start_index: 6 }],
        annotations: [{ type: 'file_citation', filename: 'a.pdf' }],
      },
    });
    log.response.completed({});
    expect(chunksOf(log.logged()).filter(({ type }) => type.startsWith('source'))).toMatchObject([
      { type: 'source-url', url: 'https://example.org/a', title: 'A page' },
      { type: 'source-document', mediaType: 'application/pdf', title: 'a.pdf', filename: 'a.pdf' },
    ]);
  });

  it('a tool has its title from level 6 on', () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    call(log, '{}', '1');
    log.response.completed({});
    const titled = { titleOf: () => 'Look around' };
    const input = (level: Level) =>
      chunksOf(log.logged(), level, titled).find(({ type }) => type === 'tool-input-available');
    expect(input(6)).toMatchObject({ title: 'Look around' });
    expect(input(5)).not.toHaveProperty('title');
  });
});
