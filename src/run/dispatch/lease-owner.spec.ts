import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isGone, leaseOwner } from './lease-owner.js';

describe('a lease owner', () => {
  const self = leaseOwner('node');

  it('every name of an owner is unique', () => {
    expect(leaseOwner('node')).not.toBe(self);
    expect(self.startsWith(`node/${process.pid}/`)).toBe(true);
  });

  it('this process is not gone', () => {
    expect(isGone(self, self)).toBe(false);
  });

  it('an earlier process with the same number is gone', () => {
    expect(isGone(leaseOwner('node'), self)).toBe(true);
  });

  it('a process of another machine is unknown', () => {
    expect(isGone(`other/${process.pid}/x`, self)).toBe(false);
    expect(isGone('other/999999999/x', self)).toBe(false);
  });

  it('an owner is gone once its process has ended', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    const owner = `node/${child.pid}/x`;
    expect(isGone(owner, self)).toBe(false);
    child.stdin.end();
    await once(child, 'exit');
    expect(isGone(owner, self)).toBe(true);
  });

  it('node names may hold slashes', () => {
    const slashed = leaseOwner('rack/7');
    expect(isGone('rack/7/999999999/x', slashed)).toBe(true);
    expect(isGone('rack/8/999999999/x', slashed)).toBe(false);
  });
});
