import type { Run } from '../api/types.js';
import { answeredFor, tookOf, turnsOf } from './turns.js';

const run = (id: string, fields: Partial<Run> = {}): Run =>
  ({ id, userId: 'ana', input: `Words of ${id}`, turn: null, startedAt: null, endedAt: null, ...fields }) as Run;
const continuation = (id: string, first: string): Run =>
  run(id, { input: null, turn: { id: first, input: `Words of ${first}` } });

describe('turns', () => {
  const ids = (runs: readonly Run[]): unknown[] =>
    turnsOf(runs).map((turn) => [turn.id, turn.input, turn.runs.map(({ id }) => id)]);

  it('continuations are under their first run, at the place of the newest', () => {
    expect(ids([continuation('c', 'a'), run('b'), run('a')])).toEqual([
      ['a', 'Words of a', ['a', 'c']],
      ['b', 'Words of b', ['b']],
    ]);
  });

  it('a continuation has the words of its first run before that has been read', () => {
    expect(ids([continuation('c', 'a')])).toEqual([['a', 'Words of a', ['c']]]);
  });

  it('runs of different users with one id are different turns', () => {
    expect(turnsOf([run('a', { userId: 'bob' }), run('a')])).toHaveLength(2);
  });

  it.each([
    ['Approval of pay: approved with changes', 'approved', true],
    ['Approval of pay: approved', 'approved', false],
    ['Approval of pay: not answered in time', 'expired', false],
  ])('a continuation says %s', (words, status, isEdited) => {
    const next = continuation('b', 'a');
    const asked = { id: 'i', kind: 'approval', status, isEdited, toolName: 'pay', resumedByRunId: 'b' } as const;
    expect(answeredFor(next, [run('a', { interrupts: [asked] }), run('b', { ...next, interrupts: [] })])).toBe(words);
  });

  it('a turn takes the time that its runs execute, not that in which it waits', () => {
    const at = (second: number): string => new Date(second * 1000).toISOString();
    const runs = [run('a', { startedAt: at(0), endedAt: at(2) }), run('b', { startedAt: at(60), endedAt: at(61) })];
    expect(tookOf(runs)).toBe(3000);
    expect(tookOf([run('a')])).toBeUndefined();
  });
});
