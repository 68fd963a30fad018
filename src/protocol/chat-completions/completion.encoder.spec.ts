import { ScriptedLog } from '../../../test/support/scripted-log.js';
import { type JsonObject } from '../../common/index.js';
import { type Message, RUN_RECOVERED } from '../../events/index.js';
import { type CompletionInfo, completionInfo, type CompletionData } from './completion-info.js';
import { completionOf } from './completion-object.js';
import { CompletionEncoder } from './completion.encoder.js';

const USAGE = { input_tokens: 3, output_tokens: 5 };

function info(data: Partial<CompletionData> = {}): CompletionInfo {
  const run = { runId: 'chatcmpl-1', agentType: 'worker', createdAt: 1_795_253_520_000, wire: 'runs', wireData: {} };
  return { ...completionInfo(run), includeUsage: false, token: '00112233445566aa', ...data };
}

interface Chunk {
  readonly choices: readonly { readonly delta: JsonObject; readonly finish_reason: string | null }[];
  readonly event?: JsonObject;
  readonly error?: JsonObject;
}

/** What a client gets: each delta, then the reason of the end, or the error. */
function shown(log: ScriptedLog, about: CompletionInfo = info()): unknown[] {
  const encoder = new CompletionEncoder(about);
  const frames = [...log.logged().flatMap((event) => encoder.next(event)), ...encoder.end()];
  return frames.map((frame) => {
    const text = frame.replace(/^data: /, '').trim();
    if (text === '[DONE]') return text;
    const { choices, event, error } = JSON.parse(text) as Chunk;
    if (error) return { error: error['code'] };
    const [choice] = choices;
    return choice?.finish_reason ?? event ?? choice?.delta;
  });
}

/** The JSON answer of a log. */
function message(log: ScriptedLog, about: CompletionInfo = info()): unknown {
  const interrupt = log.events.find((event) => event.object === 'interrupt');
  const subagents = new Map(
    log.events.flatMap((event) =>
      event.object === 'subagent' && event.status === 'started' ? [[event.id, event.name] as const] : [],
    ),
  );
  const response = log.response.getResponseData();
  const facts = { subagents, ...(interrupt?.object === 'interrupt' && { interrupt }) };
  return completionOf(about, response, facts).choices[0].message;
}

function begun(): ScriptedLog {
  const log = new ScriptedLog('chatcmpl-1');
  log.response.inProgress();
  return log;
}

/** An open message with the pieces. */
function open(
  log: ScriptedLog,
  pieces: readonly string[],
): ReturnType<ScriptedLog['response']['createMessageBuilder']> {
  const builder = log.response.createMessageBuilder();
  const content = builder.createContentBuilder();
  for (const piece of pieces) content.addTextDelta(piece);
  return builder;
}

function call(log: ScriptedLog, type: Message['type'], id: string, name: string, args = '{"city":"Rome"}'): string {
  const builder = log.response.createMessageBuilder('assistant', type);
  const content = builder.createContentBuilder('data');
  content.addDataDelta({ call_id: id, name, arguments: '' });
  content.addDataDelta({ arguments: args });
  builder.complete();
  return builder.id;
}

function output(log: ScriptedLog, type: Message['type'], id: string, metadata: JsonObject = {}): void {
  const builder = log.response.createMessageBuilder('tool', type);
  builder.createContentBuilder('data').addDataDelta({ call_id: id, output: 'sunny' });
  builder.complete({ metadata });
}

/** The worker is lost; these messages are written again. */
function lost(log: ScriptedLog, discardedMessageIds: string[]): void {
  log.response.discard(discardedMessageIds);
  log.events.push({ object: 'custom', name: RUN_RECOVERED, value: { attempt: 2, discardedMessageIds } });
}

function wait(log: ScriptedLog, callIds: string[]): void {
  log.events.push({
    object: 'interrupt',
    id: 'int_1',
    reason: 'client_tool',
    message: null,
    call_ids: callIds,
    response_schema: null,
    items: [],
  });
  log.response.completed({ usage: USAGE });
}

const ROLE = { role: 'assistant', content: '' };

/** What contract chat-completions, sections A5, C1 and E, say of the chunks of a run. */
describe('the encoder of completions', () => {
  it('texts of several messages are divided by a blank line, in the same way in both modes', () => {
    const log = begun();
    open(log, ['Let me', ' look.']).complete();
    call(log, 'plugin_call', 'c1', 'get_weather');
    output(log, 'plugin_call_output', 'c1');
    open(log, ['18 °C']).complete();
    log.response.completed({ usage: USAGE });
    const about = info({ trace: 'off' });
    expect(shown(log, about)).toEqual([
      ROLE,
      { content: 'Let me' },
      { content: ' look.' },
      { content: '\n\n' },
      { content: '18 °C' },
      'stop',
      '[DONE]',
    ]);
    expect(message(log, about)).toMatchObject({ content: 'Let me look.\n\n18 °C' });
  });

  it.each([
    [
      'reasoning',
      [{ reasoning_content: 'get_weather {"city":"Rome"}\n' }, { reasoning_content: 'get_weather done\n' }],
    ],
    [
      'status',
      [
        { type: 'status', data: { description: 'get_weather {"city":"Rome"}', done: false } },
        { type: 'status', data: { description: 'get_weather done', done: true } },
      ],
    ],
    ['off', []],
  ] as const)('calls of the server are shown as %s, and never as tool calls', (trace, steps) => {
    const log = begun();
    call(log, 'plugin_call', 'c1', 'get_weather');
    output(log, 'plugin_call_output', 'c1');
    log.response.completed({ usage: USAGE });
    expect(shown(log, info({ trace }))).toEqual([ROLE, ...steps, 'stop', '[DONE]']);
    expect(message(log, info({ trace }))).not.toHaveProperty('tool_calls');
  });

  it('a citation follows its text, and counts from the beginning of the whole answer', () => {
    const citation = { url: 'https://example.org/a', title: 'A', start_index: 3, end_index: 5 };
    const cited = (log: ScriptedLog, pieces: string[]): void =>
      void open(log, pieces).complete({ metadata: { citations: [citation, { url: 7 }] } });
    const log = begun();
    open(log, ['He said "hi"', '.\n', 'And?']).complete();
    cited(log, ['18 ', '°C 😀', ' it is']);
    log.response.completed({ usage: USAGE });
    const annotation = (from: number): object => ({
      type: 'url_citation',
      url_citation: { url: citation.url, title: 'A', start_index: from + 3, end_index: from + 5 },
    });
    const { length } = 'He said "hi".\nAnd?\n\n';
    expect(shown(log, info()).slice(-3)).toEqual([{ annotations: [annotation(length)] }, 'stop', '[DONE]']);
    expect(message(log)).toMatchObject({
      content: 'He said "hi".\nAnd?\n\n18 °C 😀 it is',
      annotations: [annotation(length)],
    });
    expect(shown(log, info({ isJson: true })).slice(-3)).toEqual([{ annotations: [annotation(0)] }, 'stop', '[DONE]']);
    expect(message(log, info({ isJson: true }))).toMatchObject({ annotations: [annotation(0)] });
  });

  it('the lines of a subagent have its name, in both modes', () => {
    const log = begun();
    log.events.push({ object: 'subagent', status: 'started', id: 'sub_1', name: 'scout', task: null } as never);
    const builder = log.response.createMessageBuilder('assistant', 'plugin_call', { subagent_id: 'sub_1' });
    builder.createContentBuilder('data').addDataDelta({ call_id: 'c1', name: 'look', arguments: '' });
    builder.complete();
    output(log, 'plugin_call_output', 'c1', { subagent_id: 'sub_1' });
    log.response.completed({ usage: USAGE });
    const lines = ['scout: look\n', 'scout: look done\n'];
    expect(shown(log, info()).slice(1, 3)).toEqual(lines.map((line) => ({ reasoning_content: line })));
    expect(message(log)).toMatchObject({ reasoning_content: lines.join('') });
  });

  it('denied and failed calls say so, long arguments are cut, and reasoning can be left out', () => {
    const log = begun();
    const builder = log.response.createMessageBuilder('assistant', 'reasoning');
    builder.createContentBuilder().addTextDelta('Hm.');
    builder.complete();
    call(log, 'plugin_call', 'c1', 'a', JSON.stringify({ text: 'x'.repeat(300) }));
    output(log, 'plugin_call_output', 'c1', { denied: true });
    call(log, 'plugin_call', 'c2', 'b', '{}');
    output(log, 'plugin_call_output', 'c2', { is_error: true });
    log.response.completed({ usage: USAGE });
    const lines = JSON.stringify(shown(log));
    expect(lines).toContain('a denied');
    expect(lines).toContain('b failed');
    expect(lines).not.toContain('x'.repeat(200));
    expect(lines).not.toContain('sunny');
    expect(JSON.stringify(shown(log, info({ reasoning: false })))).not.toContain('Hm.');
  });

  it('a worker that is lost in a text: the new text follows behind a blank line, and JSON has it alone', () => {
    const log = begun();
    const first = open(log, ['Hel']);
    lost(log, [first.id]);
    open(log, ['Hello']).complete();
    log.response.completed({ usage: USAGE });
    expect(shown(log)).toEqual([ROLE, { content: 'Hel' }, { content: '\n\n' }, { content: 'Hello' }, 'stop', '[DONE]']);
    expect(message(log)).toMatchObject({ content: 'Hello' });
  });

  it('a worker that is lost in a call of the client: the call is told once, as it stands', () => {
    const log = begun();
    const half = log.response.createMessageBuilder('assistant', 'function_call');
    half.createContentBuilder('data').addDataDelta({ call_id: 'c0', name: 'show_map', arguments: '{"ci' });
    lost(log, [half.id]);
    const whole = call(log, 'function_call', 'c1', 'show_map');
    lost(log, [whole]);
    call(log, 'function_call', 'c2', 'show_map');
    wait(log, ['c2']);
    const told = {
      index: 0,
      id: 'call_1_00112233445566aa_0',
      type: 'function',
      function: { name: 'show_map', arguments: '{"city":"Rome"}' },
    };
    expect(shown(log)).toEqual([ROLE, { tool_calls: [told] }, 'tool_calls', '[DONE]']);
  });

  it('a worker that is lost in an answer in JSON: only the last text is told, in one piece', () => {
    const log = begun();
    const half = open(log, ['{"a":']);
    lost(log, [half.id]);
    const whole = open(log, ['{"a":0}']);
    whole.complete();
    lost(log, [whole.id]);
    open(log, ['{"a"', ':1}']).complete();
    log.response.completed({ usage: USAGE });
    const about = info({ isJson: true });
    expect(shown(log, about)).toEqual([ROLE, { content: '{"a":1}' }, 'stop', '[DONE]']);
    expect(message(log, about)).toMatchObject({ content: '{"a":1}' });
  });

  it('a run without words ends with stop, and JSON has an empty text', () => {
    const log = begun();
    log.response.completed({ usage: USAGE });
    expect(shown(log)).toEqual([ROLE, 'stop', '[DONE]']);
    expect(message(log)).toMatchObject({ content: '', refusal: null });
  });

  it('refusals, limits and filters', () => {
    const refused = begun();
    const builder = refused.response.createMessageBuilder();
    builder.createContentBuilder('refusal').addRefusalDelta('No.');
    builder.complete();
    refused.response.completed({ usage: USAGE });
    expect(shown(refused)).toEqual([ROLE, { refusal: 'No.' }, 'stop', '[DONE]']);
    for (const [code, reason] of [
      ['max_output_tokens', 'length'],
      ['content_filter', 'content_filter'],
    ] as const) {
      const cut = begun();
      open(cut, ['It is']).complete();
      cut.response.incomplete({ code, message: 'cut' });
      expect(shown(cut).slice(-2)).toEqual([reason, '[DONE]']);
    }
  });

  it('what failed or was canceled has an error and no finish reason', () => {
    const failed = begun();
    open(failed, ['Hel']);
    failed.response.failed({ code: 'MODEL_EXECUTION_FAILED', message: 'gone' });
    expect(shown(failed)).toEqual([ROLE, { content: 'Hel' }, { error: 'model_execution_failed' }, '[DONE]']);
    const canceled = begun();
    canceled.response.canceled();
    expect(shown(canceled)).toEqual([ROLE, { error: 'run_canceled' }, '[DONE]']);
  });

  it('a long piece is cut between characters', () => {
    const log = begun();
    const text = 'ab😀'.repeat(20_000);
    open(log, [text]).complete();
    log.response.completed({ usage: USAGE });
    const encoder = new CompletionEncoder(info());
    const frames = log.logged().flatMap((event) => encoder.next(event));
    for (const frame of frames) expect(Buffer.byteLength(frame)).toBeLessThan(64 * 1024 + 1024);
    const contents = frames.map(
      (frame) => (JSON.parse(frame.slice(6)) as Chunk).choices[0]?.delta['content'] ?? '',
    ) as string[];
    expect(contents.join('')).toBe(text);
    for (const content of contents) expect(content.isWellFormed()).toBe(true);
  });

  it('a reader that has some frames gets the same bytes as one that has none', () => {
    const log = begun();
    open(log, ['a', 'b', 'c']).complete();
    call(log, 'function_call', 'c1', 'show_map');
    wait(log, ['c1']);
    const all = log.logged();
    const read = (skip: number): string[] => {
      const encoder = new CompletionEncoder(info({ includeUsage: true }));
      if (skip > 0) encoder.discardFirst(skip);
      return all.flatMap((event) => encoder.next(event)).slice(skip);
    };
    const whole = read(0);
    for (let skip = 1; skip <= whole.length; skip += 1) expect(read(skip)).toEqual(whole.slice(skip));
  });
});
