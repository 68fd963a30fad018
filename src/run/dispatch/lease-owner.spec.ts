import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { isGone, leaseOwner } from './lease-owner.js';

describe('a lease owner', () => {
  const self = leaseOwner('node');

  it('is never named twice', () => {
    expect(leaseOwner('node')).not.toBe(self);
    expect(self.startsWith(`node/${process.pid}/`)).toBe(true);
  });

  it('is not gone when it is this process', () => {
    expect(isGone(self, self)).toBe(false);
  });

  it('is gone when an earlier process had the same number', () => {
    expect(isGone(leaseOwner('node'), self)).toBe(true);
  });

  it('is unknown on another machine, whatever its number', () => {
    expect(isGone(`other/${process.pid}/x`, self)).toBe(false);
    expect(isGone('other/999999999/x', self)).toBe(false);
  });

  it('is not gone while its process lives, and gone afterwards', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
    const owner = `node/${child.pid}/x`;
    expect(isGone(owner, self)).toBe(false);
    child.stdin.end();
    await once(child, 'exit');
    expect(isGone(owner, self)).toBe(true);
  });

  it('reads node names with slashes', () => {
    const slashed = leaseOwner('rack/7');
    expect(isGone('rack/7/999999999/x', slashed)).toBe(true);
    expect(isGone('rack/8/999999999/x', slashed)).toBe(false);
  });
});
