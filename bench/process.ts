import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Load, LoadResult, ServerAnswer, ServerQuestion } from './protocol.js';

/** Longest time for one answer, in milliseconds. */
const PATIENCE_MS = 120_000;

/** A process of the benchmark and its side channel. */
class Peer {
  protected port = 0;
  private lastId = 0;
  private readonly waiting = new Map<number, (result: unknown) => void>();

  protected constructor(private readonly child: ChildProcess) {}

  protected listening(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.child.once('exit', (code) => reject(new Error(`a benchmark process ended with ${code}`)));
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

  stop(): void {
    this.child.disconnect();
  }
}

/** A server process of one variant. */
export class ServerProcess extends Peer {
  static async start(variant: string): Promise<ServerProcess> {
    const server = new ServerProcess(fork(join(__dirname, 'server.js'), [variant]));
    await server.listening();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  ask(question: ServerQuestion): Promise<ServerAnswer> {
    return this.call<ServerAnswer>({ question });
  }
}

/** The process that makes the load. */
export class LoadProcess extends Peer {
  static async start(): Promise<LoadProcess> {
    const client = new LoadProcess(fork(join(__dirname, 'client.js')));
    await client.listening();
    return client;
  }

  run(load: Load): Promise<LoadResult> {
    return this.call<LoadResult>({ load });
  }
}
