import { Agent, get } from 'node:http';
import { sqliteDatabase } from './databases.js';
import { ServerProcess } from './server-process.js';

/** Milliseconds between two probes of a server. */
const PROBE_MS = 5;
/** What `referenceMs` is on an idle machine of the kind that the limits are made for. */
const NOMINAL_MS = 12;
const REFERENCE = JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`k${n}`, n % 10])));

/** A server of its own, on SQLite, which is probed while it answers. */
export class ProbedServer {
  private constructor(
    private readonly server: ServerProcess,
    private readonly drop: () => Promise<void>,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<ProbedServer> {
    const database = await sqliteDatabase();
    return new ProbedServer(await ServerProcess.start(database, { CONSOLE: 'off', ...env }), () => database.drop());
  }

  get url(): string {
    return this.server.url;
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.drop();
  }

  /**
   * Does something, and measures meanwhile for how long others wait at most for the smallest answer.
   *
   * @returns milliseconds as they would be on an idle machine, as far as can be told
   */
  async delayDuring(work: () => Promise<void>): Promise<number> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    let most = 0;
    let isOver = false;
    const probing = (async () => {
      while (!isOver) {
        const startedAt = performance.now();
        await probe(`${this.url}/liveness`, agent);
        most = Math.max(most, performance.now() - startedAt);
        await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
      }
    })();
    const before = referenceMs();
    try {
      await work();
    } finally {
      isOver = true;
      await probing;
      agent.destroy();
    }
    return most / Math.max(1, Math.max(before, referenceMs()) / NOMINAL_MS);
  }
}

function probe(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (answer) => answer.resume().once('end', resolve)).once('error', reject);
  });
}

/** How long a fixed piece of work takes now: a busy machine takes longer for everything. */
function referenceMs(): number {
  const startedAt = performance.now();
  JSON.parse(REFERENCE);
  return performance.now() - startedAt;
}
