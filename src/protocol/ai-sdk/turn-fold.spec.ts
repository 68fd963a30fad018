import type { LoggedEvent } from '../../events/index.js';
import { ScriptedLog } from '../../../test/support/scripted-log.js';
import type { Chunk, Level } from './chunk.types.js';
import { type FoldOptions, TurnFold } from './turn-fold.js';

const RUN = { runId: 'r1', createdAt: 0 };

function chunksOf(events: readonly LoggedEvent[], level: Level = 6, options: Partial<FoldOptions> = {}): Chunk[] {
  const fold = new TurnFold({ level, hasMetadata: false, isStatic: () => false, shown: (one) => one, ...options });
  return [...fold.begin(RUN), ...events.flatMap((event) => fold.next(event))];
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
});
