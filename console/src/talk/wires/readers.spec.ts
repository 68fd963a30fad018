import type { BaseEvent } from '@ag-ui/client';
import type { ResponseStreamEvent } from 'openai/resources/responses/responses';
import { BrokenStream } from '../../api/client.js';
import { LiveRun } from '../live-run.js';
import { Transcript } from '../transcript.js';
import { A2aReader, isDecidedElsewhere } from './a2a-events.js';
import { type AgentApiEvent, AgentApiReader } from './agent-api-events.js';
import { AgKitReader } from './ag-kit-events.js';
import { AgUiReader } from './ag-ui-events.js';
import { CompletionReader } from './chat-completions-events.js';
import { ResponsesReader } from './responses-events.js';

/** A run, and what the page shows of it once changes are announced. */
function liveRun(): { readonly run: LiveRun; readonly shown: () => Promise<readonly object[]> } {
  const transcript = new Transcript();
  const run = new LiveRun(transcript, 'session', () => undefined);
  run.started('run-1');
  const shown = (): Promise<readonly object[]> =>
    new Promise((resolve) => {
      const stop = transcript.subscribe(() => {
        stop();
        resolve(transcript.entries());
      });
      transcript.put({ kind: 'notice', id: 'end', tone: 'info', text: '' });
    });
  return { run, shown };
}

describe('the reader of AG-Kit', () => {
  it('shows texts and calls in order, and calls without a result wait for the page', async () => {
    const { run, shown } = liveRun();
    const reader = new AgKitReader(run);
    reader.read({ type: 'text', content: 'One ' });
    reader.read({ type: 'text', content: 'moment' });
    reader.read({ type: 'tool-call-start', toolCallId: 'c1', toolCallName: 'time' });
    reader.read({ type: 'tool-call-args', toolCallId: 'c1', delta: '{"a"' });
    reader.read({ type: 'tool-call-args', toolCallId: 'c1', delta: ':1}' });
    reader.read({ type: 'tool-call-end', toolCallId: 'c1' });
    reader.end();
    expect(await shown()).toMatchObject([
      { kind: 'text', text: 'One moment', done: true },
      { kind: 'call', id: 'c1', name: 'time', args: '{"a":1}', done: true },
      {},
    ]);
    expect([run.end, run.pending]).toEqual(['interrupted', [{ callId: 'c1', name: 'time', args: '{"a":1}' }]]);
  });

  it('a call with a result does not wait, and an approval is not answered by the page', () => {
    const { run } = liveRun();
    const reader = new AgKitReader(run);
    for (const id of ['c1', 'c2']) {
      reader.read({ type: 'tool-call-start', toolCallId: id, toolCallName: 'pay' });
      reader.read({ type: 'tool-call-end', toolCallId: id });
    }
    reader.read({ type: 'tool-result', toolCallId: 'c1', result: 'paid' });
    reader.read({ type: 'interrupt', id: 'apr_1' });
    reader.end();
    expect([run.end, run.pending]).toEqual(['interrupted', []]);
  });

  it('a server that stops breaks the stream, and does not end the run', () => {
    const { run } = liveRun();
    const error = 'The server is shutting down; the run goes on';
    const read = (): void => new AgKitReader(run).read({ type: 'error', error });
    expect(read).toThrow(BrokenStream);
    expect(run.end).toBeUndefined();
  });

  it('a failed run has failed', () => {
    const { run } = liveRun();
    const reader = new AgKitReader(run);
    reader.read({ type: 'error', error: 'The model is gone' });
    reader.end();
    expect(run.end).toBe('failed');
  });
});

describe('the reader of AG-UI', () => {
  const read = (reader: AgUiReader, ...events: object[]): void =>
    events.forEach((event) => reader.read(event as BaseEvent));

  it('shows images and cards, and removes what a recovered run discarded', async () => {
    const { run, shown } = liveRun();
    const reader = new AgUiReader(run);
    read(
      reader,
      { type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta: 'Half' },
      { type: 'CUSTOM', name: 'run.recovered', value: { attempt: 2, discardedMessageIds: ['m1'] } },
      {
        type: 'CUSTOM',
        name: 'message.content',
        value: { messageId: 'm2', type: 'image', image_url: 'data:image/png,x' },
      },
      { type: 'CUSTOM', name: 'ui_schema', value: { messageId: 'm2', ui_schema: { version: '2.0' } } },
      { type: 'RUN_FINISHED', outcome: { type: 'success' } },
    );
    expect(await shown()).toMatchObject([
      { kind: 'image', url: 'data:image/png,x' },
      { kind: 'card', card: { version: '2.0' } },
      {},
    ]);
    expect(run.end).toBe('completed');
  });

  it('a server that stops breaks the stream, and does not end the run', () => {
    const { run } = liveRun();
    expect(() => read(new AgUiReader(run), { type: 'RUN_ERROR', code: 'SHUTTING_DOWN' })).toThrow(BrokenStream);
    expect(run.end).toBeUndefined();
  });
});

describe('the reader of the Agent API', () => {
  it('takes whole texts in place of their pieces, and drops messages that are not in the output', async () => {
    const { run, shown } = liveRun();
    const reader = new AgentApiReader(run);
    const message = (id: string, status: string): object => ({ object: 'message', id, type: 'message', status });
    const text = (id: string, delta: boolean, piece: string): object => ({
      ...{ object: 'content', type: 'text', msg_id: id, index: 0, delta, text: piece },
    });
    const response = { object: 'response', id: 'run-1', session_id: 'session', error: null };
    const events = [
      message('m1', 'created'),
      text('m1', true, 'Discarded'),
      message('m2', 'created'),
      text('m2', true, 'Hel'),
      text('m2', true, 'lo'),
      text('m2', false, 'Hello'),
      message('m2', 'completed'),
      { ...response, status: 'completed', output: [{ id: 'm2', type: 'message' }] },
    ];
    events.forEach((event, sequence_number) => reader.read({ ...event, sequence_number } as AgentApiEvent));
    expect(await shown()).toMatchObject([{ kind: 'text', text: 'Hello', done: true }, { id: 'end' }]);
    expect([run.end, run.cursor]).toEqual(['completed', 7]);
  });
});

describe('what a recovered run writes again', () => {
  it('takes the place of the message that was cut over the Agent API', async () => {
    const { run, shown } = liveRun();
    const reader = new AgentApiReader(run);
    const message = (id: string, status: string): object => ({ object: 'message', id, type: 'message', status });
    const text = (id: string, piece: string): object => ({
      ...{ object: 'content', type: 'text', msg_id: id, index: 0, delta: true, text: piece },
    });
    const cut = [message('m1', 'created'), text('m1', 'One two'), message('m1', 'incomplete')];
    const events = [...cut, message('m2', 'created'), text('m2', 'One')];
    events.forEach((event, sequence_number) => reader.read({ ...event, sequence_number } as AgentApiEvent));
    expect(await shown()).toMatchObject([{ kind: 'text', text: 'One', done: false }, { id: 'end' }]);
  });

  it('takes the place of the message that was cut over Responses', async () => {
    const { run, shown } = liveRun();
    const reader = new ResponsesReader(run);
    const item = (id: string, status: string, text = ''): object => ({
      ...{ id, type: 'message', role: 'assistant', status, content: [{ type: 'output_text', text }] },
    });
    const events = [
      { type: 'response.output_item.added', item: item('m1', 'in_progress') },
      { type: 'response.output_text.delta', item_id: 'm1', delta: 'One two' },
      { type: 'response.output_item.done', item: item('m1', 'incomplete', 'One two') },
      { type: 'response.output_item.added', item: item('m2', 'in_progress') },
      { type: 'response.output_text.delta', item_id: 'm2', delta: 'One' },
    ];
    events.forEach((event, sequence_number) => reader.read({ ...event, sequence_number } as ResponseStreamEvent));
    expect(await shown()).toMatchObject([{ kind: 'text', text: 'One', done: false }, { id: 'end' }]);
  });
});

describe('the reader of Chat Completions', () => {
  const delta = (fields: object, finish_reason: string | null = null): object => ({
    id: 'chatcmpl-1',
    choices: [{ delta: fields, finish_reason }],
  });
  const call = (index: number, name: string): object =>
    delta({ tool_calls: [{ index, id: `c${index}`, function: { name, arguments: '{}' } }] });

  it('shows texts and reasoning in order, and calls of the page wait for it', async () => {
    const { run, shown } = liveRun();
    const reader = new CompletionReader(run);
    for (const fields of [{ content: '' }, { reasoning_content: 'Hm.' }, { content: 'One ' }, { content: 'moment' }])
      reader.read(delta(fields));
    reader.read(delta({ content: '\n\n' }));
    reader.read(delta({ content: 'Here.' }));
    reader.read(call(0, 'time'));
    reader.read(call(1, 'request_approval'));
    reader.read(delta({}, 'tool_calls'));
    reader.end();
    expect(await shown()).toMatchObject([
      { kind: 'reasoning', text: 'Hm.', done: true },
      { kind: 'text', text: 'One moment', done: true },
      { kind: 'text', text: 'Here.', done: true },
      { kind: 'call', id: 'c0', name: 'time', args: '{}' },
      {},
    ]);
    expect([run.end, run.cursor]).toEqual(['interrupted', 9]);
    expect(run.pending).toEqual([{ callId: 'c0', name: 'time', args: '{}' }]);
  });

  it.each([
    ['model_execution_failed', 'failed'],
    ['run_canceled', 'cancelled'],
  ])('an error with the code %s ends the run as %s', (code, end) => {
    const { run } = liveRun();
    new CompletionReader(run).read({ error: { message: 'It went wrong', code } });
    expect(run.end).toBe(end);
  });
});

describe('the reader of A2A', () => {
  const status = (state: string, more: object = {}, metadata?: object): object => ({
    statusUpdate: { status: { state: `TASK_STATE_${state}`, ...more }, ...(metadata && { metadata }) },
  });
  const chunk = (artifactId: string, words: string, more: object = {}): object => ({
    artifactUpdate: { artifact: { artifactId, parts: [{ text: words }] }, ...more },
  });
  const read = (reader: A2aReader, ...frames: object[]): void =>
    frames.forEach((frame) => reader.read(frame as Record<string, unknown>));

  it('shows the pieces of an answer, calls and reasoning, and drops what a recovered run discarded', async () => {
    const { run, shown } = liveRun();
    const progress = (value: object): object => status('WORKING', {}, { 'urn:parley:a2a:progress:v1': value });
    read(
      new A2aReader(run),
      { task: { id: 'run-1', status: { state: 'TASK_STATE_SUBMITTED' } } },
      status('WORKING'),
      chunk('m0', 'Half'),
      chunk('m0', '', { lastChunk: true, metadata: { discarded: true } }),
      progress({ type: 'reasoning', text: 'Hm.' }),
      progress({ type: 'tool_call', callId: 'c1', tool: 'look', arguments: { at: 'it' } }),
      progress({ type: 'tool_output', callId: 'c1', output: 'seen' }),
      chunk('m1', 'Hel'),
      chunk('m1', 'lo', { append: true }),
      chunk('m1', '', { append: true, lastChunk: true }),
      status('COMPLETED'),
    );
    expect(await shown()).toMatchObject([
      { kind: 'reasoning', text: 'Hm.' },
      { kind: 'call', id: 'c1', name: 'look', args: '{"at":"it"}', result: 'seen' },
      { kind: 'text', id: 'm1', text: 'Hello', done: true },
      { id: 'end' },
    ]);
    expect(run.end).toBe('completed');
  });

  it('a call of the page waits for it, and a task that was over before the stream is over', async () => {
    const asked = liveRun();
    const data = { type: 'client_tool_call', callId: 'c1', tool: 'time', arguments: {} };
    read(new A2aReader(asked.run), status('INPUT_REQUIRED', { message: { parts: [{ text: '…' }, { data }] } }));
    expect([asked.run.end, asked.run.pending]).toEqual(['interrupted', [{ callId: 'c1', name: 'time', args: '{}' }]]);

    const repeated = liveRun();
    const artifacts = [{ artifactId: 'm1', parts: [{ text: 'Hello' }] }];
    const reader = new A2aReader(repeated.run);
    read(reader, { task: { id: 'run-1', status: { state: 'TASK_STATE_COMPLETED' }, artifacts } });
    reader.end();
    expect(repeated.run.end).toBe('completed');
    expect(await repeated.shown()).toMatchObject([{ kind: 'text', text: 'Hello' }, { id: 'end' }]);
  });

  it('knows where decisions are not taken over the wire', () => {
    const { run } = liveRun();
    read(new A2aReader(run), status('AUTH_REQUIRED'));
    expect([run.end, isDecidedElsewhere('session')]).toEqual(['interrupted', true]);
    read(new A2aReader(run), status('WORKING'));
    expect(isDecidedElsewhere('session')).toBe(false);
  });

  it('a stream that the server cuts is broken, and another error is said', () => {
    const { run } = liveRun();
    const cut = { error: { message: 'The task goes on', details: [{ reason: 'STREAM_CLOSED' }] } };
    expect(() => read(new A2aReader(run), cut)).toThrow(BrokenStream);
    expect(() => read(new A2aReader(run), { error: { message: 'It went wrong', details: [] } })).toThrow(
      'It went wrong',
    );
    expect(run.end).toBeUndefined();
  });

  it('a failed task says why', async () => {
    const { run, shown } = liveRun();
    const message = { parts: [{ text: 'The model is gone' }], metadata: { code: 'MODEL_ERROR' } };
    read(new A2aReader(run), status('FAILED', { message }));
    expect(await shown()).toMatchObject([{ kind: 'notice', text: 'The model is gone (MODEL_ERROR)' }, { id: 'end' }]);
    expect(run.end).toBe('failed');
  });
});
