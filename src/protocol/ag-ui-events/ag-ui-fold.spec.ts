import { checkShapes, GENERATIONS, replay } from '../../../test/support/ag-ui-replay.js';
import { ScriptedLog } from '../../../test/support/scripted-log.js';
import { ResponseFold, RUN_RECOVERED } from '../../events/index.js';
import { AgUiFold, type AgUiFoldOptions, toAgUiMessages, withKeyCase } from './index.js';

describe.each(GENERATIONS)('AG-UI events for %s', (generation) => {
  const foldOf = (log: ScriptedLog, history: AgUiFoldOptions['history'] = []) => {
    const fold = new AgUiFold({ threadId: 't', runId: 'r', generation, history });
    const events = log.logged().flatMap((event) => fold.next(event));
    checkShapes(events);
    return events;
  };

  it('partial messages of a lost worker are discarded', async () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    log.events.push({ object: 'state', kind: 'snapshot', snapshot: { n: 1 }, initial: true });
    log.events.push({ object: 'step', name: 's', status: 'started' });
    const kept = log.response.createMessageBuilder();
    kept.createContentBuilder().addTextDelta('Kept');
    kept.complete();
    const partial = log.response.createMessageBuilder();
    partial.createContentBuilder().addTextDelta('Par');
    log.response.discard([partial.id]);
    const value = { attempt: 2, discardedMessageIds: [partial.id] };
    log.events.push({ object: 'custom', name: RUN_RECOVERED, value });
    const whole = log.response.createMessageBuilder();
    whole.createContentBuilder().addTextDelta('Whole');
    whole.complete();
    log.response.completed();
    const user = { id: 'u1', role: 'user', content: 'Hi' } as const;
    const events = foldOf(log, [user]);
    const at = events.findIndex(({ type }) => type === 'MESSAGES_SNAPSHOT');
    expect(events.slice(at - 2, at + 3).map(({ type }) => type)).toEqual([
      'TEXT_MESSAGE_END',
      'STEP_FINISHED',
      'MESSAGES_SNAPSHOT',
      'STATE_SNAPSHOT',
      'CUSTOM',
    ]);
    const { messages, state } = await replay(generation, events, [user]);
    expect(messages.map((message) => (message as { content?: unknown }).content)).toEqual(['Hi', 'Kept', 'Whole']);
    expect(state).toEqual({ n: 1 });
  });

  it('each subagent begins and ends once, also if its worker was lost', async () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    const [done, open] = ['s-done', 's-open'];
    const start = (id: string) => log.events.push({ object: 'subagent', status: 'started', id, name: id });
    const finish = (id: string) => log.events.push({ object: 'subagent', status: 'finished', id, result: null });
    finish(done);
    start(done);
    finish(done);
    start(open);
    const partial = log.response.createMessageBuilder('assistant', 'message', { subagent_id: open });
    partial.createContentBuilder().addTextDelta('Par');
    log.response.discard([partial.id]);
    const value = { attempt: 2, discardedMessageIds: [partial.id] };
    log.events.push({ object: 'custom', name: RUN_RECOVERED, value });
    start(done);
    finish(done);
    start(open);
    log.events.push({ object: 'subagent', status: 'started', id: 's-orphan', name: 'o', parent_id: 's-nowhere' });
    const whole = log.response.createMessageBuilder('assistant', 'message', { subagent_id: open });
    whole.createContentBuilder().addTextDelta('Whole');
    whole.complete();
    log.response.completed();
    const events = foldOf(log);
    const lives = events.flatMap((event) => (event.type.startsWith('SUBAGENT_') ? [event] : []));
    expect(lives).toEqual([
      { type: 'SUBAGENT_STARTED', subagentRunId: done, name: done },
      { type: 'SUBAGENT_FINISHED', subagentRunId: done },
      { type: 'SUBAGENT_STARTED', subagentRunId: open, name: open },
      { type: 'SUBAGENT_STARTED', subagentRunId: 's-orphan', name: 'o' },
      { type: 'SUBAGENT_FINISHED', subagentRunId: 's-orphan' },
      { type: 'SUBAGENT_FINISHED', subagentRunId: open },
    ]);
    expect((await replay(generation, events)).messages).toMatchObject([{ content: 'Whole', subagentRunId: open }]);
  });

  it('a cancel ends open items and answers waiting calls', async () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    const call = log.response.createMessageBuilder('assistant', 'plugin_call');
    call.createContentBuilder('data').addDataDelta({ call_id: 'c', name: 'f', arguments: '{}' });
    call.complete();
    log.response.canceled();
    const events = foldOf(log);
    expect(events.at(-2)).toMatchObject({ type: 'TOOL_CALL_RESULT', toolCallId: 'c', role: 'tool' });
    const outcome = generation === 'v1' ? { outcome: { type: 'cancelled' } } : {};
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', ...outcome });
    expect('outcome' in (events.at(-1) as object)).toBe(generation === 'v1');
    const { messages } = await replay(generation, events);
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool']);
  });

  it('the refusal of a model is text, also in snapshots', async () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    const message = log.response.createMessageBuilder();
    const refusal = message.createContentBuilder('refusal');
    for (const piece of ['I cannot ', 'help.']) refusal.addRefusalDelta(piece);
    message.complete();
    log.response.completed();
    const events = foldOf(log);
    expect(events.flatMap((event) => (event.type === 'TEXT_MESSAGE_CONTENT' ? [event.delta] : []))).toEqual([
      'I cannot ',
      'help.',
    ]);
    const shown = [{ id: message.id, role: 'assistant', content: 'I cannot help.' }];
    expect((await replay(generation, events)).messages).toEqual(shown);
    const response = new ResponseFold();
    for (const event of log.events) response.apply(event);
    expect(toAgUiMessages(response.response()?.output ?? [], generation)).toEqual(shown);
  });

  it('encrypted values of a provider are passed on', () => {
    const log = new ScriptedLog();
    log.response.inProgress();
    const thought = log.response.createMessageBuilder('assistant', 'reasoning');
    thought.createContentBuilder().addTextDelta('Hm');
    thought.complete({ metadata: { encrypted_value: 'sealed' } });
    log.response.completed();
    expect(foldOf(log)).toContainEqual({
      type: 'REASONING_ENCRYPTED_VALUE',
      subtype: 'message',
      entityId: thought.id,
      encryptedValue: 'sealed',
    });
  });
});

describe('the case of keys', () => {
  const start = { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'f', parentMessageId: 'm' } as const;

  it('keys are camelCase, snake_case or both, at the top level', () => {
    expect(withKeyCase(start, 'camel', 'r')).toEqual(start);
    const snake = { tool_call_id: 'c', tool_call_name: 'f', parent_message_id: 'm', message_id: 'm' };
    expect(withKeyCase(start, 'both', 'r')).toEqual({ ...start, ...snake });
    expect(withKeyCase(start, 'snake', 'r')).toEqual({ type: start.type, ...snake });
    const error = { type: 'RUN_ERROR', message: 'x' } as const;
    expect(withKeyCase(error, 'both', 'r')).toEqual({ ...error, run_id: 'r' });
  });
});
