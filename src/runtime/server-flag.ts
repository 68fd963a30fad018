import { spawn } from 'node:child_process';
import cluster from 'node:cluster';
import { once } from 'node:events';
import { constants } from 'node:os';

/** The flag with which Node runs the server: most young objects are dead when they are collected (docs/performance.md). */
export const SERVER_FLAG = '--max-semi-space-size=64';
const IS_SET = /--max[-_]semi[-_]space[-_]size/;
/** What a terminal or a supervisor sends. */
const FORWARDED = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT'] as const;

/** Whether this process has the flag, or another value of it that somebody has chosen. */
export function hasServerFlag({ execArgv, env }: Pick<NodeJS.Process, 'execArgv' | 'env'> = process): boolean {
  return IS_SET.test(execArgv.join(' ')) || IS_SET.test(env['NODE_OPTIONS'] ?? '');
}

/**
 * Runs this program once more, as a child with the flag: V8 reads it only when a process begins. The child gets the
 * signals of this process, and is in a process group of its own, so that a terminal does not send them twice.
 *
 * @returns the exit code of the child. If a signal has ended the child, it ends this process too; where it cannot,
 *   because the system protects process 1 of a container from it, the code is 128 and the number of the signal
 */
export async function runWithServerFlag(): Promise<number> {
  const args = [SERVER_FLAG, ...process.execArgv, ...process.argv.slice(1)];
  const stdio = ['inherit', 'inherit', 'inherit', 'ipc'] as const;
  const child = spawn(process.execPath, args, { stdio: [...stdio], detached: true });
  for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  if (signal !== null) {
    for (const forwarded of FORWARDED) process.removeAllListeners(forwarded);
    process.kill(process.pid, signal);
    // Time for a signal that this process does not survive.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return 128 + constants.signals[signal];
  }
  return code ?? 1;
}

/** In the child of `runWithServerFlag`: the server stops when its parent was killed. */
export function stopWithParent(): void {
  // A process of a cluster has the channel of the cluster.
  if (!process.channel || cluster.isWorker) return;
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // It must not keep a server that cannot start.
  process.channel.unref();
}
