import type { JsonObject } from '../../common/index.js';
import type { SessionState, StateOperation } from '../agent.js';
import { keepPredicted } from './predicted-state.js';

const PREDICTED = [
  { stateKey: 'a/b~c', tool: 'write', argument: 'text' },
  { stateKey: 'title', tool: 'write', argument: 'title' },
];
const call = (id: string, args: string, name = 'write') => ({ id, name, arguments: args });
const ok = (callId: string, isError = false) => ({ callId, isError });

function patched(calls: Parameters<typeof keepPredicted>[2], results: Parameters<typeof keepPredicted>[3]) {
  const patches: StateOperation[] = [];
  const current: JsonObject = { title: 'Rain' };
  const state: SessionState = {
    get: () => current,
    set: () => undefined,
    patch: (operations) => void patches.push(...operations),
  };
  keepPredicted({ state }, PREDICTED, calls, results);
  return patches;
}

describe('predicted state from the arguments of a call', () => {
  it('the state of calls that succeeded is stored once under its key', () => {
    const calls = [
      call('c1', '{"text":{"n":1},"title":"Rain"}'),
      call('c2', '{"text":"no"}'),
      call('c3', '{"text":2}'),
    ];
    expect(patched(calls, [ok('c1'), ok('c2', true)])).toEqual([{ op: 'add', path: '/a~1b~0c', value: { n: 1 } }]);
  });

  it.each(['', '[]', 'null', '{"text"', '{"other":1}', '{"__proto__":{"text":1}}'])('%j changes no state', (args) => {
    expect(patched([call('c1', args), call('c1', '{"text":1}', 'read')], [ok('c1')])).toEqual([]);
  });
});
