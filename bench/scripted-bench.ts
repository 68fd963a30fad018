import type { Load, LoadResult, Script } from './protocol.js';
import { ScriptedLoadProcess, ServerProcess } from './process.js';
import { type Bench, median, type Report } from './report.js';

/** Who serves: the baseline, Nest's own writer without and with a log, Parley in memory and with its log. */
export type Variant = 'raw' | 'sse' | 'naive' | 'live' | 'parley' | 'postgres';

/** The server process of a variant. */
function processOf(variant: Variant): string {
  return variant === 'live' || variant === 'parley' ? 'scripted' : variant;
}

/** What one cell cost. */
export interface Measure {
  /** Processor time of the server per event or request, in microseconds. */
  readonly cpu: number;
  readonly result: LoadResult;
}

/** The processes of the rows with a scripted agent. Started when first used. */
export class ScriptedBench implements Bench {
  private readonly servers = new Map<string, Promise<ServerProcess>>();

  private constructor(
    readonly report: Report,
    readonly client: ScriptedLoadProcess,
  ) {}

  static async start(report: Report): Promise<ScriptedBench> {
    return new ScriptedBench(report, await ScriptedLoadProcess.start());
  }

  server(variant: Variant): Promise<ServerProcess> {
    const name = processOf(variant);
    let server = this.servers.get(name);
    if (!server) {
      server = ServerProcess.start(name);
      this.servers.set(name, server);
    }
    return server;
  }

  async stop(): Promise<void> {
    await this.client.stop();
    for (const server of this.servers.values()) await (await server).stop();
  }

  /** Ends one server process: the next use starts a fresh one. */
  async retire(variant: Variant): Promise<void> {
    const server = await this.server(variant);
    this.servers.delete(processOf(variant));
    await server.stop();
  }

  /** One load, with the processor time that the server spent on it. */
  async measure(server: ServerProcess, load: Load): Promise<Measure> {
    const before = await server.ask({ ask: 'usage' });
    const result = await this.client.run(load);
    const after = await server.ask({ ask: 'usage' });
    const units = result.events ?? result.requests ?? 1;
    return { cpu: ((after.cpu ?? 0) - (before.cpu ?? 0)) / units, result };
  }

  /** Some streams of one variant, complete and checked. */
  async stream(variant: Variant, streams: number, script: Script): Promise<Measure> {
    const server = await this.server(variant);
    return this.measure(server, { do: 'streams', ...target(server, variant, script), streams, script });
  }

  /**
   * The same cell for several variants, in turn within each round, after one warm-up that does not
   * count. The first variant is the baseline.
   */
  async compare(variants: readonly Variant[], streams: number, script: Script, rounds: number): Promise<Comparison> {
    const cells = new Map<Variant, number[]>(variants.map((variant) => [variant, []]));
    const warmUp = { ...script, n: Math.min(script.n, 200) };
    for (const variant of variants) await this.stream(variant, Math.min(streams, 100), warmUp);
    for (let round = 0; round < rounds; round += 1) {
      for (const variant of variants) cells.get(variant)?.push((await this.stream(variant, streams, script)).cpu);
    }
    this.report.baseline([...cells.values()][0] ?? []);
    return new Comparison(cells, variants[0] ?? 'raw');
  }
}

/** The rounds of one cell, by variant. */
export class Comparison {
  constructor(
    private readonly cells: ReadonlyMap<Variant, readonly number[]>,
    private readonly baseline: Variant,
  ) {}

  median(variant: Variant): number {
    return median(this.cells.get(variant) ?? []);
  }

  /** How many times cheaper one variant is than another. */
  ratio(variant: Variant, than: Variant = this.baseline): number {
    return this.median(than) / this.median(variant);
  }

  /** All rounds, in microseconds per event. */
  rounds(): string {
    const texts = [...this.cells].map(
      ([variant, rounds]) => `${variant} ${rounds.map((cpu) => cpu.toFixed(1)).join('/')}`,
    );
    return `CPU us per event: ${texts.join(', ')}`;
  }
}

/** The address and body of a stream with this script. */
export function target(server: ServerProcess, variant: Variant, script: Script): { url: string; post?: unknown } {
  const query = new URLSearchParams(
    Object.fromEntries(Object.entries(script).map(([key, value]) => [key, String(value)])),
  );
  if (variant === 'live') return { url: `${server.url}/bench/live?${query.toString()}`, post: {} };
  if (variant === 'parley' || variant === 'postgres') return { url: `${server.url}/process`, post: runOf(script) };
  return { url: `${server.url}/stream?${query.toString()}` };
}

/** A request of `POST /process` that runs a script. */
export function runOf(script: Script): object {
  const content = [{ type: 'text', text: 'Go' }];
  return { input: [{ role: 'user', type: 'message', content }], stream: true, forwarded_props: { bench: script } };
}
