import type { ModelEvent } from '../ports/model-client.js';
import { finish, reasoning, ScriptedModelClient, type ScriptStep, text } from '../testing/scripted-model-client.js';
import { MemoryJournal } from '../testing/memory-journal.js';
import { loopAgent, TestRun } from '../testing/test-run.js';
import { REFUSAL } from './model-step.js';

const refusal = (piece: string): ModelEvent => ({ type: 'refusal-delta', text: piece });

async function runOf(script: ScriptStep[], run = new TestRun()): Promise<TestRun> {
  const outcome = await run.drive(loopAgent(new ScriptedModelClient([script])));
  expect(outcome.kind).toBe(
    script.some((step) => step.type === 'finish' && step.reason !== 'stop') ? 'incomplete' : 'completed',
  );
  return run;
}

const contents = (run: TestRun): unknown[] =>
  run.messages.map(({ type, content }) => [
    type,
    ...(content ?? []).map((one) =>
      one.type === 'refusal' ? { refusal: one.refusal } : { text: 'text' in one && one.text },
    ),
  ]);

describe('a model that refuses', () => {
  it('a refusal content is written in pieces with the usage', async () => {
    const run = await runOf([refusal('I cannot '), refusal('do that.'), finish()]);
    expect(contents(run)).toEqual([['message', { refusal: 'I cannot do that.' }]]);
    expect(run.messages[0]?.usage).toEqual({ input_tokens: 10, output_tokens: 5 });
    const pieces = run.events.flatMap((event) =>
      event.object === 'content' && event.type === 'refusal' ? [event] : [],
    );
    expect(pieces.map(({ delta, refusal: piece }) => [delta, piece])).toEqual([
      [true, 'I cannot '],
      [true, 'do that.'],
      [false, 'I cannot do that.'],
    ]);
    expect(run.journal.writes.at(-1)?.output).toMatchObject({ text: '', refusal: 'I cannot do that.' });
    run.expectLegalStream();
  });

  it('text before the refusal is kept', async () => {
    const run = await runOf([reasoning('Hm'), text('Well. '), refusal('No.'), finish()]);
    expect(contents(run)).toEqual([
      ['reasoning', { text: 'Hm' }],
      ['message', { text: 'Well. ' }],
      ['message', { refusal: 'No.' }],
    ]);
    run.expectLegalStream();
  });

  it('a refusal that the content filter ended gets no additional text', async () => {
    expect(contents(await runOf([refusal('No.'), finish('content-filter')]))).toEqual([
      ['message', { refusal: 'No.' }],
    ]);
    expect(contents(await runOf([finish('content-filter')]))).toEqual([['message', { refusal: REFUSAL }]]);
  });

  it('a resumed run does not call the model again', async () => {
    const first = await runOf([refusal('No.'), finish()]);
    const resumed = new TestRun({ journal: new MemoryJournal(first.journal.writes) });
    expect(await resumed.drive(loopAgent(new ScriptedModelClient([])))).toEqual({ kind: 'completed' });
  });
});
