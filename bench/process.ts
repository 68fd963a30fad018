import { type ChildProcess, fork, type ForkOptions } from 'node:child_process';
import { join } from 'node:path';
import type { AnswerLoad, AnswerResult, Load, LoadResult, ServerAnswer, ServerQuestion } from './protocol.js';

/** Longest time for one answer, in milliseconds. */
const PATIENCE_MS = 15 * 60_000;

/** How `npm start` runs Node. */
const START_FLAGS = ['--max-semi-space-size=64'];
/** The variants that are Parley, which run as it is started. */
const PARLEY_VARIANTS: ReadonlySet<string> = new Set(['parley', 'scripted', 'postgres']);

/** A process of the benchmark and its side channel. */
class Peer {
  port = 0;
  private lastId = 0;
  private readonly waiting = new Map<number, (result: unknown) => void>();

  protected constructor(protected readonly child: ChildProcess) {}

  /** @throws Error if the process ends before it is ready */
  protected ready(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.child.once('exit', (code, signal) => {
        const error = `a process of the benchmark ended with ${code ?? signal}`;
        reject(new Error(error));
        for (const answer of this.waiting.values()) answer({ error });
      });
      this.child.on('message', (message: { port?: number; id?: number; result?: unknown }) => {
        if (message.port !== undefined) {
          this.port = message.port;
          resolve();
        }
        if (message.id === undefined) return;
        this.waiting.get(message.id)?.(message.result);
        this.waiting.delete(message.id);
      });
    });
  }

  protected call<T extends { readonly error?: string }>(message: object): Promise<T> {
    const id = (this.lastId += 1);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to ${JSON.stringify(message)}`)), PATIENCE_MS);
      this.waiting.set(id, (result) => {
        clearTimeout(timer);
        const { error } = result as T;
        if (error === undefined) resolve(result as T);
        else reject(new Error(error));
      });
      this.child.send({ id, ...message });
    });
  }

  /** Sends a signal: SIGKILL ends the process at once, SIGSTOP pauses it. */
  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Ends the process and waits until it has ended. */
  stop(): Promise<void> {
    return new Promise((resolve) => {
      if (this.child.exitCode !== null || this.child.signalCode !== null) return resolve();
      this.child.once('exit', () => resolve());
      this.child.disconnect();
    });
  }
}

/** A server process of one variant. What it writes to standard output, such as its log, is dropped. */
export class ServerProcess extends Peer {
  /** @param folder the compiled benchmark beside the server to run: that of another checkout, to compare it */
  static async start(
    variant: string,
    env: Readonly<Record<string, string>> = {},
    folder = __dirname,
  ): Promise<ServerProcess> {
    const options: ForkOptions = {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      execArgv: PARLEY_VARIANTS.has(variant) ? START_FLAGS : [],
    };
    const server = new ServerProcess(fork(join(folder, 'server.js'), [variant], options));
    await server.ready();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  ask(question: ServerQuestion): Promise<ServerAnswer> {
    return this.call<ServerAnswer>({ question });
  }

  /** User and system time of the process so far, in microseconds. */
  async cpu(): Promise<number> {
    return (await this.ask({ ask: 'usage' })).cpu ?? 0;
  }

  /** Resident memory in bytes. */
  async rss(): Promise<number> {
    return (await this.ask({ ask: 'usage' })).rss ?? 0;
  }
}

/** The process that makes the load of the rows with a scripted agent. */
export class ScriptedLoadProcess extends Peer {
  static async start(): Promise<ScriptedLoadProcess> {
    const client = new ScriptedLoadProcess(fork(join(__dirname, 'load/scripted-load.js')));
    await client.ready();
    return client;
  }

  run(load: Load): Promise<LoadResult> {
    return this.call<LoadResult>({ load });
  }
}

/** The process that makes the load of the rows with a model. */
export class AnswerLoadProcess extends Peer {
  static async start(): Promise<AnswerLoadProcess> {
    const client = new AnswerLoadProcess(fork(join(__dirname, 'load/answer-load.js')));
    await client.ready();
    return client;
  }

  run(load: AnswerLoad): Promise<AnswerResult> {
    return this.call<AnswerResult>({ load });
  }
}
