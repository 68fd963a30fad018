import { execFileSync } from 'node:child_process';
import v8 from 'node:v8';
import { BASELINE_FLAG, compileAtFirstCall, delayMemoryReducer, REDUCER_FLAG } from './v8-flags.js';

describe('flags of V8', () => {
  afterEach(() => jest.restoreAllMocks());

  it.each([
    ['the heap is made smaller after ten minutes', delayMemoryReducer, `${REDUCER_FLAG}=600000`],
    ['functions are compiled at their first call', compileAtFirstCall, BASELINE_FLAG],
  ])('%s', (_, setFlag, flag) => {
    const set = jest.spyOn(v8, 'setFlagsFromString').mockReturnValue();
    setFlag({ execArgv: ['--max-semi-space-size=64'] });
    expect(set.mock.calls).toEqual([[flag]]);
  });

  it.each([
    ['--no-memory-reducer', delayMemoryReducer],
    ['--gc_memory_reducer_start_delay_ms=1', delayMemoryReducer],
    ['--no-sparkplug', compileAtFirstCall],
    ['--no_always_sparkplug', compileAtFirstCall],
  ])('%s on the command line stays as it is', (given, setFlag) => {
    const set = jest.spyOn(v8, 'setFlagsFromString').mockReturnValue();
    setFlag({ execArgv: [given] });
    expect(set).not.toHaveBeenCalled();
  });

  it.each([REDUCER_FLAG, BASELINE_FLAG])('this version of Node has %s', (flag) => {
    expect(execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })).toContain(`${flag} `);
  });
});
