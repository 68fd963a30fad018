import { randomUUID } from 'node:crypto';

/** This process's name in leases: machine, process, and a number that no other process ever had. */
export function leaseOwner(nodeName: string): string {
  return `${nodeName}/${process.pid}/${randomUUID()}`;
}

/**
 * True when an owner is known to be gone: a process of this machine that no longer runs. Of other
 * machines nothing is known; their leases end by themselves.
 */
export function isGone(owner: string, self: string): boolean {
  if (owner === self) return false;
  const [node, pid] = split(owner);
  const [ownNode, ownPid] = split(self);
  if (node !== ownNode) return false;
  return pid === ownPid || !isAlive(Number(pid));
}

function split(owner: string): [node: string, pid: string] {
  const parts = owner.split('/');
  return [parts.slice(0, -2).join('/'), parts.at(-2) ?? ''];
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, under another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
