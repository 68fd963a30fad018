import type { Load, LoadResult, Script } from './protocol.js';
import { LoadProcess, ServerProcess } from './process.js';

/** Who serves: the baseline, Nest's own writer without and with a log, Parley in memory and with its log. */
export type Variant = 'raw' | 'sse' | 'naive' | 'live' | 'parley' | 'postgres';

/** What one cell cost. */
export interface Measure {
  /** Processor time of the server per event or request, in microseconds. */
  readonly cpu: number;
  readonly result: LoadResult;
}

/** One line of the report. */
export interface Line {
  readonly id: string;
  readonly scenario: string;
  readonly target: string;
  readonly reached: string;
  readonly met: boolean;
  /** What the raw rounds were, and other circumstances. */
  readonly notes?: string;
}

/** A limit that fails the run. */
export interface Gate {
  readonly name: string;
  readonly value: number;
  readonly least?: number;
  readonly most?: number;
}

/** The processes of one run, what they found, and the limits it stands under. */
export class Bench {
  readonly lines: Line[] = [];
  readonly gates: Gate[] = [];
  /** Largest quotient of the slowest and the fastest round of the baseline. */
  spread = 1;
  private readonly servers = new Map<string, Promise<ServerProcess>>();

  private constructor(readonly client: LoadProcess) {}

  static async start(): Promise<Bench> {
    return new Bench(await LoadProcess.start());
  }

  server(variant: Variant): Promise<ServerProcess> {
    const name = variant === 'live' ? 'parley' : variant;
    let server = this.servers.get(name);
    if (!server) {
      server = ServerProcess.start(name);
      this.servers.set(name, server);
    }
    return server;
  }

  async stop(): Promise<void> {
    this.client.stop();
    for (const server of this.servers.values()) (await server).stop();
  }

  /** Ends one server process: the next use starts a fresh one. */
  async retire(variant: Variant): Promise<void> {
    const server = await this.server(variant);
    this.servers.delete(variant === 'live' ? 'parley' : variant);
    server.stop();
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
    const comparison = new Comparison(cells, variants[0] ?? 'raw');
    this.spread = Math.max(this.spread, comparison.spread);
    return comparison;
  }

  report(line: Line): void {
    this.lines.push(line);
    console.log(
      `${line.id.padEnd(4)} ${line.met ? 'met   ' : 'MISSED'} ${line.scenario}: ${line.reached} (target ${line.target})`,
    );
    if (line.notes) console.log(`            ${line.notes}`);
  }

  gate(gate: Gate): void {
    this.gates.push(gate);
  }
}

/** The rounds of one cell, by variant. */
export class Comparison {
  constructor(
    private readonly cells: ReadonlyMap<Variant, readonly number[]>,
    private readonly baseline: Variant,
  ) {}

  get spread(): number {
    const rounds = this.cells.get(this.baseline) ?? [];
    return Math.max(...rounds) / Math.min(...rounds);
  }

  median(variant: Variant): number {
    return quantile(this.cells.get(variant) ?? [], 0.5);
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

/** The value below which this part of the values lies. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
}
