import fc from 'fast-check';
import { LoggedEvent, ResponseFold, SUBAGENT_ID } from '../../events/index.js';
import { calls, endings, Interpreter } from '../../events/testing/random-program.js';
import type { TaskUpdate } from './a2a.types.js';
import { contentParts } from './content-parts.js';
import { RunFold } from './run-fold.js';
import { TaskFold } from './task-state.js';
import { V1 } from './v1/v1.encoder.js';

const IDS = { taskId: 't', contextId: 'c' };

function fold(): RunFold {
  return new RunFold({
    run: { ...IDS, runId: 'r' },
    isOutOfBand: false,
    hasProgress: false,
    shown: (content) => content,
  });
}

function applied(updates: readonly TaskUpdate[]) {
  const task = new TaskFold({ ...IDS, agentType: 'worker' }, 0);
  for (const update of updates) task.apply(update);
  return task.task();
}

const programs = fc.tuple(calls, endings);

function logOf([program, ending]: typeof programs extends fc.Arbitrary<infer P> ? P : never): readonly LoggedEvent[] {
  const interpreter = new Interpreter();
  interpreter.run(program);
  interpreter.end(ending);
  return interpreter.log.map((event, seq) => new LoggedEvent(seq, '', event, seq));
}

describe('the frames of any run', () => {
  it('consolidate to the answers of its response', () => {
    fc.assert(
      fc.property(programs, (program) => {
        const log = logOf(program);
        const response = new ResponseFold();
        for (const { event } of log) response.apply(event);
        const run = fold();
        const task = applied(log.flatMap((event) => run.next(event)));
        const answers = (response.response()?.output ?? []).filter(
          ({ type, role, metadata }) => type === 'message' && role !== 'user' && metadata?.[SUBAGENT_ID] === undefined,
        );
        const text = (parts: readonly object[]): string =>
          parts.map((part) => ('text' in part ? part.text : '')).join('');
        const expected = new Map(answers.map(({ id, content }) => [id, text((content ?? []).flatMap(contentParts))]));
        for (const { artifactId, parts } of task.artifacts) expect(text(parts)).toBe(expected.get(artifactId));
        const shown = new Set(task.artifacts.map(({ artifactId }) => artifactId));
        for (const [id, words] of expected) if (words !== '') expect(shown.has(id)).toBe(true);
      }),
    );
  });

  it('are the same however often the log is read, and end once', () => {
    fc.assert(
      fc.property(programs, fc.nat(), (program, at) => {
        const log = logOf(program);
        const frames = (events: readonly LoggedEvent[], run = fold()): string[] =>
          events.flatMap((event) => run.next(event)).map((update) => JSON.stringify(V1.updateFrame(IDS, update)));
        const whole = frames(log);
        const run = fold();
        const cut = at % (log.length + 1);
        expect([...frames(log.slice(0, cut), run), ...frames(log.slice(cut), run)]).toEqual(whole);
        const ends = whole.filter((frame) => /TASK_STATE_(COMPLETED|FAILED|CANCELED|REJECTED)/.test(frame));
        expect(ends).toHaveLength(1);
        expect(whole.at(-1)).toBe(ends[0]);
      }),
    );
  });
});
