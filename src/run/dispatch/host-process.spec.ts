import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { HostProcess } from '../ports/worker-registry.js';
import { hasEnded, ownProcess } from './host-process.js';

const NO_PROCESS = 999_999_999;

describe('a process', () => {
  const self = ownProcess();
  const other = (changes: Partial<HostProcess>) => hasEnded({ ...self, ...changes }, self);

  it('this process has not ended', () => {
    expect(hasEnded(ownProcess(), self)).toBe(false);
  });

  it('a process has ended when nothing has its id', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    const { pid = NO_PROCESS } = child;
    expect(other({ pid, processStart: null })).toBe(false);
    child.stdin.end();
    await once(child, 'exit');
    expect(other({ pid, processStart: null })).toBe(true);
  });

  (self.processStart === null ? it.skip : it)('a process has ended when a later one has its id', () => {
    expect(other({ processStart: '1' })).toBe(true);
  });

  it('nothing is known about a process of another machine or container, even with the same id', () => {
    for (const pid of [self.pid, NO_PROCESS]) {
      expect(other({ hostId: 'boot/pid:[4026539999]', pid, processStart: '1' })).toBe(false);
      expect(other({ hostId: null, pid, processStart: '1' })).toBe(false);
      expect(hasEnded({ ...self, hostId: null, pid }, { ...self, hostId: null })).toBe(false);
    }
  });

  it('a process without a known start has not ended while something has its id', () => {
    expect(other({ processStart: null })).toBe(false);
  });
});
