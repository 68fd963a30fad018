import type { AgentContext } from '../../src/agent/index.js';
import { AppError } from '../../src/common/index.js';
import { type AgentResponse, textOf } from '../../src/events/index.js';
import * as agents from '../support/code-agents.js';
import { behaviour, mutter, say, stopped } from '../support/code-agents.js';
import { ALICE, describeOnLedgers, LEASE, type Ledger, nextId } from '../support/ledger.js';
import { RunDriver } from '../support/run-driver.js';

const outputOf = (response: AgentResponse): string[] => (response.output ?? []).map(textOf);
const never = (): Promise<never> => new Promise(() => undefined);

/** A promise and its resolution, to know that an agent came so far. */
function gate(): { readonly opened: Promise<void>; open(): void } {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open: () => open() };
}

/** What a run's session has of its output. */
async function saidIn(ledger: Ledger, runId: string): Promise<string[]> {
  const run = await ledger.runs.find(ALICE, runId);
  const { messages } = await ledger.sessions.history(run?.sessionRowId ?? 0, 2, 100);
  return messages.filter(({ role }) => role === 'assistant').map(textOf);
}

describeOnLedgers('executing a run', (ledger) => {
  let server: RunDriver;

  const start = async (env: NodeJS.ProcessEnv = {}): Promise<RunDriver> =>
    (server = await RunDriver.start(ledger(), { env }));
  afterEach(() => server.stop());

  /** A run whose worker is gone: accepted by hand under a lease that is over. */
  async function lost(agentType: string, attempts = 1): Promise<string> {
    const runId = nextId('run');
    await ledger().accept(
      { agentType, runId, sessionId: nextId('session') },
      { lease: { ...LEASE, until: 1 }, now: Date.now() },
    );
    for (let attempt = 1; attempt < attempts; attempt += 1) {
      await ledger().leases.claim({ owner: 'else/1/x', until: 1 + attempt }, 1);
    }
    return runId;
  }

  it('a completed run has its answer in the session', async () => {
    await start();
    behaviour.current = agents.writes('Hello');
    const { view, last } = await server.run({ agentType: 'code-fail' });
    expect(view).toMatchObject({ state: 'completed', attempt: 1, error: null });
    expect(outputOf(last)).toEqual(['Hello']);
    expect(await ledger().count('messages')).toBe(2);
  });

  it('a run whose agent throws keeps the partial text and hides an unknown error', async () => {
    await start();
    behaviour.current = async function* (context) {
      yield mutter(context, 'partial');
      throw new Error('secret');
    };
    const unknown = await server.run({ agentType: 'code-fail' });
    expect(unknown.view).toMatchObject({ state: 'failed', error: { code: 'AGENT_UNKNOWN_ERROR' } });
    expect(outputOf(unknown.last)).toEqual(['partial']);
    expect(JSON.stringify(unknown.events)).not.toContain('secret');
    behaviour.current = async function* () {
      yield undefined;
      throw new AppError('MODEL_TIMEOUT', 'Too slow');
    };
    expect((await server.run({ agentType: 'code-fail' })).last.error).toEqual({
      code: 'MODEL_TIMEOUT',
      message: 'Too slow',
    });
  });

  it('a run ends as interrupted or incomplete as its agent returns', async () => {
    await start();
    behaviour.current = async function* (context) {
      yield say(context, 'May I?');
      return { kind: 'interrupted', reason: 'approval', message: 'May I?', callIds: [], responseSchema: null };
    };
    const waits = await server.run({ agentType: 'code-fail' });
    expect(waits.view.state).toBe('interrupted');
    expect(waits.last.status).toBe('completed');
    expect(waits.events.at(-2)).toMatchObject({ object: 'interrupt', reason: 'approval' });
    behaviour.current = async function* (context) {
      yield say(context, 'So far');
      return { kind: 'incomplete', reason: 'max_steps' };
    };
    expect((await server.run({ agentType: 'code-fail' })).view.state).toBe('incomplete');
  });

  it('the shared state is shown, patched and stored', async () => {
    await start();
    const sessionId = nextId('session');
    behaviour.current = async function* (context) {
      yield say(context, 'Counting');
      context.state.set({ count: 1 });
      context.state.patch([{ op: 'replace', path: '/count', value: 2 }]);
      expect(() => context.state.patch([{ op: 'remove', path: '/missing' }])).toThrow(AppError);
      expect(context.state.get()).toEqual({ count: 2 });
    };
    const first = await server.ended(await server.accept({ agentType: 'code-fail', sessionId }));
    expect(first.events.filter(({ object }) => object === 'state')).toEqual([
      { object: 'state', kind: 'snapshot', snapshot: { count: 1 } },
      { object: 'state', kind: 'delta', patch: [{ op: 'replace', path: '/count', value: 2 }] },
    ]);
    behaviour.current = agents.writes('Nothing new');
    const second = await server.ended(await server.accept({ agentType: 'code-fail', sessionId }));
    expect(second.events.find(({ object }) => object === 'state')).toEqual({
      object: 'state',
      kind: 'snapshot',
      snapshot: { count: 2 },
      initial: true,
    });
  });

  it.each([
    ['listens', stopped],
    ['does not listen, beyond the grace', never],
  ])('a run can be cancelled while its agent %s', async (_, wait: (context: AgentContext) => Promise<void>) => {
    await start({ CANCEL_GRACE_MS: '30' });
    const running = gate();
    behaviour.current = async function* (context) {
      yield mutter(context, 'partial');
      running.open();
      await wait(context);
      yield undefined;
    };
    const runId = await server.accept({ agentType: 'code-fail' });
    await running.opened;
    await server.runs.cancel(ALICE, runId);
    const { view, last } = await server.ended(runId);
    expect([view.state, last.status]).toEqual(['canceled', 'canceled']);
    expect(outputOf(last)).toEqual(['partial']);
    expect((await server.runs.cancel(ALICE, runId)).state).toBe('canceled');
  });

  it('a run ends at its time limit', async () => {
    await start({ RUN_TIMEOUT_MS: '1000', CANCEL_GRACE_MS: '0' });
    behaviour.current = async function* (context) {
      yield mutter(context, 'partial');
      await stopped(context);
    };
    expect((await server.run({ agentType: 'code-fail' })).last.error?.code).toBe('TIMEOUT');
  });

  it('a run waits for the earlier runs of its session', async () => {
    await start();
    const order: string[] = [];
    behaviour.current = async function* (context) {
      order.push(`${context.runId} begins`);
      yield say(context, 'x');
      await context.flush();
      order.push(`${context.runId} ends`);
    };
    const runIds = [
      await server.accept({ agentType: 'code-fail', sessionId: 'one' }),
      await server.accept({ agentType: 'code-fail', sessionId: 'one' }),
    ];
    await Promise.all(runIds.map((runId) => server.ended(runId)));
    expect(order).toEqual(runIds.flatMap((runId) => [`${runId} begins`, `${runId} ends`]));
  });

  it('a run fails, restarts or continues after a shutdown as its agent type declares', async () => {
    const first = await start();
    const running = gate();
    let waiting = 3;
    behaviour.current = async function* (context) {
      yield say(context, 'first step');
      const [message] = context.response.getResponseData().output ?? [];
      context.journal.finish('step:1', 'hash', { text: 'first step' }, message ? [message.id] : []);
      yield mutter(context, 'second st');
      await context.flush();
      if ((waiting -= 1) === 0) running.open();
      await stopped(context);
    };
    const runIds = await Promise.all(
      ['code-fail', 'code-restart', 'code-journal'].map((type) => first.accept({ agentType: type })),
    );
    await running.opened;
    for (const runId of runIds) expect(await saidIn(ledger(), runId)).toEqual(['first step']);
    await first.stop();
    behaviour.current = async function* (context) {
      if (context.agentType === 'code-restart') yield say(context, 'first step');
      else expect(context.journal.finished('step:1', 'hash')?.output).toEqual({ text: 'first step' });
      yield say(context, 'second step');
    };
    await start();
    const [failed, restarted, resumed] = await Promise.all(runIds.map((runId) => server.ended(runId)));
    expect(failed?.view).toMatchObject({ state: 'failed', error: { code: 'WORKER_LOST' } });
    expect(outputOf(resumed?.last as AgentResponse)).toEqual(['first step', 'second step']);
    expect(resumed?.view).toMatchObject({ state: 'completed', attempt: 1 });
    const recoveries = resumed?.events.filter((event) => event.object === 'custom' && event.name === 'run.recovered');
    expect(recoveries).toMatchObject([{ value: { resumedFromStep: 1 } }]);
    expect(restarted?.view.state).toBe('completed');
    expect(outputOf(restarted?.last as AgentResponse).slice(-2)).toEqual(['first step', 'second step']);
    // What had joined the session before stands there once, the rest behind it.
    for (const ended of [failed, restarted, resumed]) {
      expect(await saidIn(ledger(), ended?.view.runId ?? '')).toEqual(outputOf(ended?.last as AgentResponse));
    }
  });

  it('a run fails if its agent no longer matches the journal', async () => {
    const first = await start();
    const running = gate();
    behaviour.current = async function* (context) {
      yield undefined;
      await context.journal.begin('step:1', 'old');
      running.open();
      await stopped(context);
    };
    const runId = await first.accept({ agentType: 'code-journal' });
    await running.opened;
    await first.stop();
    behaviour.current = async function* (context) {
      yield undefined;
      context.journal.finished('step:1', 'new');
    };
    await start();
    expect((await server.ended(runId)).last.error?.code).toBe('JOURNAL_MISMATCH');
  });

  it('a run whose process is lost before it began has its first events once', async () => {
    behaviour.current = agents.writes('Hello');
    const runId = nextId('run');
    const request = { agentType: 'code-restart', runId, sessionId: nextId('session') };
    await ledger().accept(request, { lease: { ...LEASE, until: 1 }, now: Date.now(), begins: true });
    await start();
    const { events, view } = await server.ended(runId);
    expect(events.slice(0, 3)).toMatchObject([
      { object: 'response', status: 'created' },
      { object: 'response', status: 'in_progress' },
      { object: 'custom', value: { attempt: 2, discardedMessageIds: [], resumedFromStep: 0 } },
    ]);
    expect(view).toMatchObject({ state: 'completed', attempt: 2 });
  });

  it('a run is taken over from a lost worker until its attempts are used up', async () => {
    behaviour.current = agents.writes('Again');
    const poisonous = await lost('code-fail', 3);
    const taken = await lost('code-fail');
    await start();
    expect((await server.ended(taken)).view).toMatchObject({ state: 'completed', attempt: 2 });
    expect((await server.ended(poisonous)).last.error?.code).toBe('WORKER_LOST');
  });
});
