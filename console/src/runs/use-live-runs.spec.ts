import type { Run } from '../api/types.js';
import { merged, without } from './use-live-runs.js';

const run = (id: string, fields: Partial<Run> = {}): Run =>
  ({ id, status: 'running', wire: 'ag-ui', agent: 'worker', userId: 'ana', sessionId: 's', ...fields }) as Run;

describe('a live list of runs', () => {
  const known = {
    pages: [
      { data: [run('b')], nextCursor: 'c' },
      { data: [run('a')], nextCursor: null },
    ],
    pageParams: [],
  };
  const ids = (change: Run, query = {}): string[][] =>
    merged(known, change, query).pages.map(({ data }) => data.map(({ id, status }) => `${id} ${status}`));

  it('replaces a run that changed at its place, even if it no longer matches', () => {
    expect(ids(run('a', { status: 'completed' }), { status: 'running' })).toEqual([['b running'], ['a completed']]);
  });

  it('puts a new run first if it matches the filters', () => {
    expect(ids(run('c'), { wire: 'ag-ui', status: '' })).toEqual([['c running', 'b running'], ['a running']]);
    expect(ids(run('c'), { wire: 'runs' })).toEqual([['b running'], ['a running']]);
  });

  it('drops a run that was removed, and no run of another user with its id', () => {
    const left = ({ pages }: typeof known): string[] => pages.flatMap(({ data }) => data.map(({ id }) => id));
    expect(left(without(known, { id: 'a', userId: 'ana' }) as typeof known)).toEqual(['b']);
    expect(left(without(known, { id: 'a', userId: 'bob' }) as typeof known)).toEqual(['b', 'a']);
  });

  it('leaves filters of text and time to the server', () => {
    expect(ids(run('c'), { text: 'hello' })).toEqual([['b running'], ['a running']]);
  });
});
