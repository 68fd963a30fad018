import { randomUUID } from 'node:crypto';

/** The name of this process in leases: machine, process id, and a unique id. */
export function leaseOwner(nodeName: string): string {
  return `${nodeName}/${process.pid}/${randomUUID()}`;
}

/**
 * True when the owner is a process of this machine that no longer runs. False for processes of
 * other machines, whose state is unknown; their leases end when they are not renewed.
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
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
