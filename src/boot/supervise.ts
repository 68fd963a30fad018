import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { Logger } from '@nestjs/common';
import { returnConnections } from '../runtime/index.js';

/** Pauses before a process that ended by itself is started again, in milliseconds: at first and at most. */
const PAUSE_FIRST_MS = 500;
const PAUSE_MOST_MS = 30_000;
/** A process that ran for this long did not fail to start. */
const STABLE_MS = 60_000;

/**
 * Runs several processes of the server behind one port, and starts those again that end by themselves. SIGTERM and
 * SIGINT stop them one after the other, so that each hands its runs to those that are left, and then this process;
 * SIGHUP replaces them one after the other. A second SIGTERM or SIGINT ends everything at once.
 *
 * @param metricsPort METRICS_PORT: each process serves its own metrics, on this port and those after it
 * @returns never, unless the first process cannot start: its exit code
 */
export async function supervise(count: number, metricsPort?: number): Promise<number> {
  const supervisor = new Supervisor(count, metricsPort);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => supervisor.stop(signal));
  process.on('SIGHUP', () => supervisor.replaceAll());
  return supervisor.start();
}

class Supervisor {
  private readonly logger = new Logger('Processes');
  private readonly places: (Worker | undefined)[];
  private stopping = false;
  private pauseMs = PAUSE_FIRST_MS;
  private replacing: Promise<void> | undefined;
  /** Whether each process came to listen, or ended before. */
  private readonly ready = new WeakMap<Worker, Promise<boolean>>();

  constructor(
    count: number,
    private readonly metricsPort: number | undefined,
  ) {
    this.places = Array.from({ length: count }, () => undefined);
  }

  /** The first process is started alone: it creates what all share, such as keys and tables. */
  async start(): Promise<number> {
    const first = this.fork(0);
    if (!(await this.ready.get(first))) return exited(first);
    this.watch(first, 0);
    for (let place = 1; place < this.places.length; place += 1) this.watch(this.fork(place), place);
    return new Promise(() => undefined);
  }

  /** Stops the processes one after the other. */
  stop(signal: string): void {
    if (this.stopping) {
      for (const worker of this.places) worker?.process.kill('SIGKILL');
      process.exit(1);
    }
    this.stopping = true;
    this.logger.log(`${signal}: stopping ${this.places.length} processes, one after the other`);
    void this.stopAll();
  }

  /** Replaces the processes one after the other. */
  replaceAll(): void {
    if (this.stopping || this.replacing) return;
    this.logger.log(`SIGHUP: replacing ${this.places.length} processes, one after the other`);
    this.replacing = this.replaceEach().finally(() => (this.replacing = undefined));
  }

  private async stopAll(): Promise<void> {
    await this.replacing;
    for (const worker of this.places) if (worker) await terminate(worker);
    process.exit(0);
  }

  private async replaceEach(): Promise<void> {
    for (let place = 0; place < this.places.length && !this.stopping; place += 1) {
      const worker = this.places[place];
      // The others get all connections meanwhile.
      for (const one of this.places) if (one) await this.ready.get(one);
      // Nobody starts it again while it is being replaced.
      this.places[place] = undefined;
      if (worker) await terminate(worker);
      if (this.stopping) return;
      const next = this.fork(place);
      this.watch(next, place);
      if (await this.ready.get(next)) continue;
      this.logger.error('The new process could not start: no further one is replaced');
      return;
    }
    this.logger.log('All processes were replaced');
  }

  private fork(place: number): Worker {
    const port = this.metricsPort;
    // 0 stands for any free port.
    const worker = cluster.fork(port ? { METRICS_PORT: String(port + place) } : {});
    // A connection that cannot be handed to a process that dies at this moment; its end is noticed anyway.
    worker.on('error', (error) => this.logger.warn(`Process ${worker.process.pid}: ${error.message}`));
    returnConnections(worker);
    this.places[place] = worker;
    this.ready.set(worker, isReady(worker));
    return worker;
  }

  /** Starts a process again when it ends by itself. */
  private watch(worker: Worker, place: number): void {
    const startedAt = performance.now();
    void exited(worker).then((code) => {
      if (this.stopping || this.places[place] !== worker) return;
      const isStable = performance.now() - startedAt >= STABLE_MS;
      this.pauseMs = isStable ? PAUSE_FIRST_MS : Math.min(this.pauseMs * 2, PAUSE_MOST_MS);
      this.logger.error(`Process ${worker.process.pid} ended with code ${code}: another starts in ${this.pauseMs} ms`);
      setTimeout(() => {
        if (!this.stopping && this.places[place] === worker) this.watch(this.fork(place), place);
      }, this.pauseMs);
    });
  }
}

/** Resolves with true when a process listens, with false when it has ended before. */
function isReady(worker: Worker): Promise<boolean> {
  return Promise.race([once(worker, 'listening').then(() => true), exited(worker).then(() => false)]);
}

async function exited(worker: Worker): Promise<number> {
  if (worker.isDead()) return worker.process.exitCode ?? 1;
  const [code] = (await once(worker, 'exit')) as [number | null];
  return code ?? 1;
}

async function terminate(worker: Worker): Promise<void> {
  if (worker.isDead()) return;
  const exit = exited(worker);
  worker.process.kill('SIGTERM');
  await exit;
}
