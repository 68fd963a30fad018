import type { AgentEvent } from '../../../events/index.js';
import { LoggedEvent, serializeEvent } from '../../../events/index.js';
import type { InterruptView } from '../../../agent/interrupt/index.js';
import type { JournalStep, RunDetails } from '../../../run/index.js';
import { timelineOf } from './timeline.js';

const RUN = { runId: 'run-1', state: 'completed', createdAt: 1000, startedAt: 1500, finishedAt: 9000 } as RunDetails;
const at = (ms: number): string => new Date(ms).toISOString();

function step(key: string, startedAt: number | null, updatedAt: number, output: object | null = {}): JournalStep {
  const status = output === null ? 'begun' : 'finished';
  const stored = output as JournalStep['output'];
  return {
    key,
    status,
    inputHash: 'h',
    output: stored,
    messageIds: [],
    ...(startedAt !== null && { startedAt }),
    updatedAt,
  };
}

function logged(seq: number, time: number, event: AgentEvent): LoggedEvent {
  return new LoggedEvent(seq, serializeEvent(event), undefined, time);
}

function spansOf(parts: Partial<Parameters<typeof timelineOf>[0]>): readonly unknown[] {
  const { spans } = timelineOf({ run: RUN, steps: [], events: [], interrupts: [], ...parts });
  return spans.map(({ kind, name, status, startedAt, endedAt, parentId }) => [
    ...[kind, name, status],
    Date.parse(startedAt),
    endedAt === null ? null : Date.parse(endedAt),
    parentId,
  ]);
}

describe('the timeline of a run', () => {
  it('a run that waited and called a model and tools has a span of each, with tokens and names', () => {
    const calls = { toolCalls: [{ id: 'c1', name: 'pay' }], finishReason: 'tool-calls' };
    const timeline = timelineOf({
      run: RUN,
      steps: [
        step('model:0', 1500, 3000, { ...calls, usage: { input_tokens: 3, output_tokens: 4 } }),
        step('tool:c1', 3000, 4000, { name: 'pay', isError: true, failure: 'timeout' }),
        step('notes', 4000, 4100),
      ],
      events: [],
      interrupts: [],
    });
    expect(timeline).toMatchObject({ runId: 'run-1', status: 'completed', startedAt: at(1000), endedAt: at(9000) });
    expect(timeline.spans).toMatchObject([
      { kind: 'queue', status: 'completed', startedAt: at(1000), endedAt: at(1500) },
      {
        kind: 'model',
        name: 'model call 1',
        usage: { inputTokens: 3, outputTokens: 4, totalTokens: 7 },
        details: { finishReason: 'tool-calls', toolCalls: ['pay'] },
      },
      { kind: 'tool', name: 'pay', status: 'failed', callId: 'c1', details: { failure: 'timeout' } },
      { kind: 'step', name: 'notes', status: 'completed' },
    ]);
  });

  it('a run that is being executed shows what it does now: the next model call once it has called one', () => {
    const run = { ...RUN, agentType: 'worker', state: 'running', finishedAt: null } as RunDetails;
    expect(spansOf({ run }).at(-1)).toEqual(['agent', 'worker', 'running', 1500, null, null]);
    const steps = [step('model:0', 1500, 3000), step('tool:c1', 3000, 4000)];
    expect(spansOf({ run, steps }).at(-1)).toEqual(['model', 'model call 2', 'running', 4000, null, null]);
    const busy = [...steps, step('tool:c2', 3500, 3500, null)];
    expect(spansOf({ run, steps: busy }).map((span) => (span as readonly unknown[])[0])).toEqual([
      'queue',
      'model',
      'tool',
      'tool',
    ]);
  });

  it('a recovery is a moment, and a step that a lost worker left is open until the run ends', () => {
    const value = { attempt: 2, discardedMessageIds: ['m1'], resumedFromStep: 0 };
    const events = [logged(7, 5000, { object: 'custom', name: 'run.recovered', value })];
    const parts = { steps: [step('tool:c1', 2000, 2000, null)], events };
    expect(spansOf(parts)).toEqual([
      ['queue', 'queue', 'completed', 1000, 1500, null],
      ['tool', 'tool call', 'failed', 2000, 9000, null],
      ['recovery', 'attempt 2', 'completed', 5000, 5000, null],
    ]);
    const running: RunDetails = { ...RUN, state: 'running', startedAt: 1000, finishedAt: null };
    expect(spansOf({ ...parts, run: running })[0]).toEqual(['tool', 'tool call', 'running', 2000, null, null]);
  });

  it('a subagent contains its steps and its phases', () => {
    const subagent = { object: 'subagent', id: 'sub-1' } as const;
    const phase = { object: 'step', name: 'plan', subagent_id: 'sub-1' } as const;
    const events = [
      logged(1, 2000, { ...subagent, status: 'started', name: 'research' }),
      logged(2, 2500, { ...phase, status: 'started' }),
      logged(3, 2600, { ...phase, status: 'finished' }),
      logged(4, 4000, { ...subagent, status: 'finished' }),
    ];
    const run: RunDetails = { ...RUN, startedAt: 1000 };
    expect(spansOf({ run, events, steps: [step('0123456789abcdef/model:0', 2100, 3000)] })).toEqual([
      ['subagent', 'research', 'completed', 2000, 4000, null],
      ['model', 'model call 1', 'completed', 2100, 3000, 'sub-1'],
      ['phase', 'plan', 'completed', 2500, 2600, 'sub-1'],
    ]);
  });

  it('an approval lasts until it is decided', () => {
    const approval = { id: 'apr_1', kind: 'approval', toolName: 'pay', callId: 'c1', createdAt: 9000 } as InterruptView;
    const run: RunDetails = { ...RUN, state: 'interrupted', startedAt: 1000 };
    const spans = (interrupt: Partial<InterruptView>): unknown =>
      spansOf({ run, interrupts: [{ ...approval, ...interrupt }] }).at(-1);
    expect(spans({ status: 'pending' })).toEqual(['approval', 'pay', 'running', 9000, null, null]);
    expect(spans({ status: 'approved', answeredAt: 9500 })).toEqual(['approval', 'pay', 'approved', 9000, 9500, null]);
    const edited = { status: 'approved', answeredAt: 9500, decision: { approve: true, arguments: {} } } as const;
    expect(spans(edited)).toEqual(['approval', 'pay', 'edited', 9000, 9500, null]);
    expect(spans({ status: 'cancelled', answeredAt: 9550 })).toEqual([
      'approval',
      'pay',
      'unanswered',
      9000,
      9550,
      null,
    ]);
    expect(spans({ status: 'denied', answeredAt: 9600 })).toEqual(['approval', 'pay', 'denied', 9000, 9600, null]);
    expect(spans({ status: 'expired', expiresAt: 9700 })).toEqual(['approval', 'pay', 'expired', 9000, 9700, null]);
  });

  it('a call that was not made says why', () => {
    const refused = (output: object): unknown =>
      (spansOf({ steps: [step('tool:c1', 2000, 3000, { name: 'pay', isError: true, ...output })] }) as unknown[][]).at(
        -1,
      )?.[2];
    expect(refused({ failure: 'denied', unapproved: 'denied' })).toBe('denied');
    expect(refused({ failure: 'denied', unapproved: 'expired' })).toBe('expired');
    expect(refused({ failure: 'denied' })).toBe('refused');
    expect(refused({ failure: 'invalid_arguments' })).toBe('invalid');
    expect(refused({ failure: 'timeout' })).toBe('failed');
  });

  it('a failed model call has its error and its retries', () => {
    const run = {
      ...RUN,
      startedAt: 1000,
      state: 'failed',
      error: { code: 'MODEL_OVERLOADED' },
    } as unknown as RunDetails;
    const failure = {
      error: { code: 'MODEL_OVERLOADED', message: 'The model is overloaded' },
      retries: [{ at: 2000, code: 'MODEL_OVERLOADED', message: 'The model is overloaded', pauseMs: 500 }],
    };
    const failed = { ...step('failed:model:0', 1000, 9000, failure), status: 'begun' } as JournalStep;
    const { spans } = timelineOf({ run, steps: [failed], events: [], interrupts: [] });
    expect(spans).toMatchObject([{ id: 'model:0', name: 'model call 1', status: 'failed', details: failure }]);
  });

  it('a run that ended without a step shows its agent, with the error of a failed one', () => {
    const error = { code: 'AGENT_ERROR', message: 'The agent failed' };
    const run = { ...RUN, startedAt: 1000, agentType: 'memory' } as RunDetails;
    expect(spansOf({ run })).toEqual([['agent', 'memory', 'completed', 1000, 9000, null]]);
    const { spans } = timelineOf({ run: { ...run, state: 'failed', error }, steps: [], events: [], interrupts: [] });
    expect(spans).toMatchObject([{ kind: 'agent', status: 'failed', details: { error } }]);
  });

  it('a stopped run shows the calls and the model call that were under way', () => {
    const run = { ...RUN, startedAt: 1000, state: 'canceled' } as RunDetails;
    const calls = { toolCalls: [{ id: 'c1', name: 'pay' }] };
    expect(spansOf({ run, steps: [step('model:0', 1000, 3000, calls)] })).toEqual([
      ['model', 'model call 1', 'completed', 1000, 3000, null],
      ['tool', 'pay', 'canceled', 3000, 9000, null],
    ]);
    expect(
      spansOf({ run, steps: [step('model:0', 1000, 3000, calls), step('tool:c1', 3000, 4000, { name: 'pay' })] }).at(
        -1,
      ),
    ).toEqual(['model', 'model call 2', 'canceled', 4000, 9000, null]);
  });

  it('a model call ends before the calls of its answer begin', () => {
    const calls = { toolCalls: [{ id: 'c1', name: 'pay' }] };
    const steps = [step('model:0', 1500, 3050, calls), step('tool:c1', 3000, 4000, { name: 'pay' })];
    expect(spansOf({ steps }).slice(1)).toEqual([
      ['model', 'model call 1', 'completed', 1500, 3000, null],
      ['tool', 'pay', 'completed', 3000, 4000, null],
    ]);
  });
});
