import { execFileSync } from 'node:child_process';
import v8 from 'node:v8';
import { delayMemoryReducer, REDUCER_FLAG } from './memory-reducer.js';

describe('delayMemoryReducer', () => {
  afterEach(() => jest.restoreAllMocks());

  it('lets V8 wait for ten minutes', () => {
    const set = jest.spyOn(v8, 'setFlagsFromString').mockReturnValue();
    delayMemoryReducer({ execArgv: ['--max-semi-space-size=64'] });
    expect(set.mock.calls).toEqual([[`${REDUCER_FLAG}=600000`]]);
  });

  it.each(['--no-memory-reducer', '--gc_memory_reducer_start_delay_ms=1'])('leaves %s as it is', (flag) => {
    const set = jest.spyOn(v8, 'setFlagsFromString').mockReturnValue();
    delayMemoryReducer({ execArgv: [flag] });
    expect(set).not.toHaveBeenCalled();
  });

  it('this version of Node has the flag', () => {
    expect(execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })).toContain(`${REDUCER_FLAG} `);
  });
});
