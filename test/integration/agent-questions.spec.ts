import type { AgentContext } from '../../src/agent/index.js';
import { textOf } from '../../src/events/index.js';
import type { InterruptAnswer } from '../../src/run/index.js';
import * as agents from '../support/code-agents.js';
import { behaviour, say } from '../support/code-agents.js';
import { ALICE, codeOf, describeOnLedgers, nextId } from '../support/ledger.js';
import { type EndedRun, RunDriver } from '../support/run-driver.js';

const SEAT = {
  reason: 'choose_seat',
  message: 'Which seat?',
  responseSchema: { type: 'object', properties: { seat: { type: 'string' } }, required: ['seat'] },
};

describeOnLedgers('an interrupt of an agent', (ledger) => {
  let server: RunDriver;
  const texts = ({ last }: EndedRun): string[] => (last.output ?? []).map(textOf);

  beforeEach(async () => (server = await RunDriver.start(ledger())));
  afterEach(() => server.stop());

  const ask = (): Promise<EndedRun> => server.run({ agentType: 'code-journal' });

  /** The id of the one open question of a run. */
  async function openIn({ view }: EndedRun): Promise<string> {
    const open = await server.interrupts.pending(ALICE, view.sessionId);
    expect(open).toHaveLength(1);
    return open[0]?.id ?? '';
  }

  async function answer(run: EndedRun, overrides: Partial<InterruptAnswer>): Promise<EndedRun> {
    const interruptId = await openIn(run);
    const accepted = await server.runs.answer(ALICE, null, [{ interruptId, status: 'resolved', ...overrides }]);
    return server.ended(accepted.run.runId);
  }

  it('the run ends as interrupted and holds the question', async () => {
    behaviour.current = async function* (context) {
      await context.interrupt(SEAT);
      yield undefined;
    };
    const run = await ask();
    expect(run.view.state).toBe('interrupted');
    expect(run.last.status).toBe('completed');
    const [view] = await server.interrupts.pending(ALICE, run.view.sessionId);
    expect(run.events.at(-2)).toMatchObject({
      object: 'interrupt',
      reason: 'input',
      message: 'Which seat?',
      response_schema: SEAT.responseSchema,
      items: [{ id: view?.id, kind: 'input', call_id: null, expires_at: view?.expiresAt }],
    });
    expect(view).toMatchObject({
      kind: 'input',
      status: 'pending',
      runId: run.runId,
      responseSchema: SEAT.responseSchema,
    });
  });

  it('the agent gets the answer in its next run, with the same input and without repeating a step', async () => {
    let sideEffects = 0;
    behaviour.current = async function* (context: AgentContext) {
      if (!context.journal.finished('reserve', '')) {
        sideEffects += 1;
        context.journal.finish('reserve', '', { done: true }, []);
      }
      const first = await context.interrupt(SEAT);
      const second = await context.interrupt({ reason: 'meal', message: 'Which meal?' });
      yield say(context, JSON.stringify([context.inputText, first, second, context.history.length]));
    };
    const first = await ask();
    const second = await answer(first, { payload: { seat: '12A' } });
    expect(second.view).toMatchObject({ state: 'interrupted', sessionId: first.view.sessionId });
    const third = await answer(second, { payload: 'soup' });
    expect(third.view.state).toBe('completed');
    expect(texts(third)).toEqual([JSON.stringify(['Hello', { seat: '12A' }, 'soup', 0])]);
    expect(sideEffects).toBe(1);
  });

  it('an answer that does not fit the schema is refused and the interrupt stays open', async () => {
    behaviour.current = async function* (context) {
      const { seat } = (await context.interrupt(SEAT)) as { seat: string };
      yield say(context, seat);
    };
    const run = await ask();
    expect(await codeOf(answer(run, { payload: { seat: 12 } }))).toBe('INVALID_PARAMETER');
    const large = { seat: '1B', more: Array.from({ length: 12_000 }, (_, n) => ({ n })) };
    await expect(answer(run, { payload: large })).rejects.toThrow('payload must not have more than 10000 values');
    await expect(answer(run, { payload: { seat: 'x'.repeat(2_000_000) } })).rejects.toThrow('1048576 characters');
    expect(texts(await answer(run, { payload: { seat: '1B' } }))).toEqual(['1B']);
  });

  it('the agent is told of a cancelled interrupt', async () => {
    behaviour.current = async function* (context) {
      await context.interrupt(SEAT);
      yield undefined;
    };
    const given = await answer(await ask(), { status: 'cancelled' });
    expect(given.view.state).toBe('canceled');
    behaviour.current = async function* (context) {
      const seat = await context.interrupt(SEAT).catch((error: Error) => {
        if (error.name !== 'InputRefused') throw error;
        return 'any';
      });
      yield say(context, JSON.stringify(seat));
    };
    expect(texts(await answer(await ask(), { status: 'cancelled' }))).toEqual(['"any"']);
  });

  it('a new message cancels the interrupt', async () => {
    behaviour.current = async function* (context) {
      await context.interrupt(SEAT);
      yield undefined;
    };
    const run = await ask();
    const interruptId = await openIn(run);
    behaviour.current = agents.writes('Something else');
    await server.run({ agentType: 'code-journal', sessionId: run.view.sessionId });
    expect((await server.interrupts.find(ALICE, interruptId))?.status).toBe('cancelled');
    const late = server.runs.answer(ALICE, null, [{ interruptId, status: 'resolved', payload: { seat: '1' } }]);
    expect(await codeOf(late)).toBe('INTERRUPT_ALREADY_ANSWERED');
  });

  it('only the owner can answer, once, and a repeated answer with the same run id is a replay', async () => {
    behaviour.current = async function* (context) {
      yield say(context, JSON.stringify(await context.interrupt(SEAT)));
    };
    const run = await ask();
    const interruptId = await openIn(run);
    const answers: InterruptAnswer[] = [{ interruptId, status: 'resolved', payload: { seat: '2' } }];
    const bob = { ...ALICE, userId: 'bob' };
    expect(await codeOf(server.runs.answer(bob, null, answers))).toBe('INTERRUPT_NOT_FOUND');
    expect(await codeOf(server.runs.answer({ ...ALICE, tenantId: 'other' }, null, answers))).toBe(
      'INTERRUPT_NOT_FOUND',
    );
    const request = {
      agentType: 'code-journal',
      sessionId: run.view.sessionId,
      input: [],
      answers,
      runId: nextId('run'),
    };
    const runId = await server.accept(request);
    expect(await server.accept(request)).toBe(runId);
    expect(await codeOf(server.runs.answer(ALICE, null, answers))).toBe('INTERRUPT_ALREADY_ANSWERED');
    expect((await server.interrupts.find(ALICE, interruptId))?.resumedByRunId).toBe(runId);
  });
});
