import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import type { HostProcess } from '../ports/worker-registry.js';

/** This process. */
export function ownProcess(): HostProcess {
  return { hostId: hostId(), pid: process.pid, processStart: startOf(process.pid)?.start ?? null };
}

/**
 * True when a process is known to have ended: it was on the same host, in the same process namespace, and has no
 * process any more, or its id belongs to one that started at another time. False if that cannot be known from here,
 * as for a process in another container: two containers may give their processes the same name and the same id.
 */
export function hasEnded(other: HostProcess, self: HostProcess): boolean {
  if (other.hostId === null || other.hostId !== self.hostId) return false;
  if (!exists(other.pid)) return true;
  const found = startOf(other.pid);
  if (!found || other.processStart === null) return false;
  return found.isZombie || found.start !== other.processStart;
}

/**
 * The host since its last start, and the process namespace on it: process ids mean the same where both are equal. Null
 * where the system does not say.
 */
function hostId(): string | null {
  try {
    if (process.platform === 'darwin') {
      return execFileSync('/usr/sbin/sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim();
    }
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return null;
  }
}

/** What Linux says about a process; undefined elsewhere, and if it may not be read. */
function startOf(pid: number): { readonly start: string; readonly isZombie: boolean } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces and parentheses. State is the third field, the start the 22nd.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const [state, start] = [fields[0], fields[19]];
    return start === undefined ? undefined : { start, isZombie: state === 'Z' || state === 'X' };
  } catch {
    return undefined;
  }
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
