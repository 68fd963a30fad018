import { join } from 'node:path';
import type { Answer } from './answer.js';
import { answerOf } from './answer.js';
import { delayProxy } from './delay-proxy.js';
import { AnswerLoadProcess, ServerProcess } from './process.js';
import { profileSummary } from './profile-summary.js';
import { type AnswerLoad, type AnswerResult, REMOTE_AGENT, type WireName } from './protocol.js';
import type { Report } from './report.js';
import { ScratchDatabase } from './scratch-database.js';

/**
 * Who is between the model and the client: the hand-written relay, Parley with its log, the Parley of another checkout, or
 * the first Parley over Chat Completions or the AI SDK, or with its remote agent.
 */
export type Variant = 'relay' | 'parley' | 'other' | 'chat' | 'ui' | 'remote';

/** The variants that are the first Parley over another wire. */
const OVER: Partial<Record<Variant, WireName>> = {
  chat: 'chat-completions',
  ui: 'ai-sdk',
  remote: 'remote',
};

/** How the rows with a model are run. */
export interface ModelBenchOptions {
  /** The wire on which Parley is measured where the row names none. */
  readonly wire: Exclude<WireName, 'relay' | 'remote'>;
  /** A PostgreSQL database whose user may create others; undefined: SQLite. */
  readonly postgresUrl: string | undefined;
  /** The compiled benchmark beside the server of another checkout; undefined: none is compared. */
  readonly otherFolder: string | undefined;
  /** Folder for profiles of Parley's process; undefined: it is not profiled. */
  readonly profileFolder: string | undefined;
  /** How many loads of short requests a server answers before it is compared. */
  readonly warmUpLoads: number;
}

/** What one cell cost and brought. */
export interface Cell {
  /** Processor time of the server, in microseconds. */
  readonly cpu: number;
  /** Processor time of the database, in microseconds, where it is a process of its own on this machine. */
  readonly databaseCpu: number | undefined;
  readonly result: AnswerResult;
}

/** A running Parley with a database of its own. */
export interface ParleyUnderTest {
  readonly server: ServerProcess;
  readonly database: ScratchDatabase | undefined;
  stop(): Promise<void>;
}

/** Short requests of one load, and the connections that they share. */
const REQUESTS = { requests: 2000, connections: 32 };
/** Pause between two cells, in which the work that a server does after its answers ends. */
const SETTLE_MS = 300;

/** The processes of the rows with a model: the model, the load, the relay and Parley. Started when first used. */
export class ModelBench {
  private scenario = '';
  /** The files of the profiles that were taken since the last scenario. */
  private readonly profiles = new Set<string>();
  private started: Promise<{ model: ServerProcess; load: AnswerLoadProcess }> | undefined;
  private relayServer: Promise<ServerProcess> | undefined;
  private parleyServer: Promise<ParleyUnderTest> | undefined;
  private otherServer: Promise<ParleyUnderTest> | undefined;
  /** What the first load cost and brought at each server that has warmed up. */
  private readonly warmedUp = new Map<Variant, Promise<Cell>>();

  constructor(
    readonly report: Report,
    readonly options: ModelBenchOptions,
  ) {}

  /** What stands in a line's text: the database and the wire. */
  get circumstances(): string {
    return `${this.options.postgresUrl === undefined ? 'SQLite' : 'PostgreSQL'}, ${this.options.wire}`;
  }

  async load(load: AnswerLoad): Promise<AnswerResult> {
    return (await this.basics()).load.run(load);
  }

  /**
   * One load during which the server is profiled if that was asked for; the last one of each part of a scenario is kept.
   *
   * @param part names the file beside that of the scenario's main part
   */
  async profiled(server: ServerProcess, load: AnswerLoad, part = ''): Promise<AnswerResult> {
    const { profileFolder } = this.options;
    if (profileFolder === undefined) return this.load(load);
    const file = join(profileFolder, `${this.scenario}${part && `-${part}`}.cpuprofile`);
    this.profiles.add(file);
    await server.ask({ ask: 'profile' });
    const result = await this.load(load);
    await server.ask({ ask: 'profile', file });
    return result;
  }

  /** Begins a scenario: prints what the profiler found in the one before. */
  begin(scenario: string): void {
    this.printProfile();
    this.scenario = scenario;
  }

  async relay(): Promise<ServerProcess> {
    this.relayServer ??= this.basics().then(({ model }) =>
      ServerProcess.start('relay', { BENCH_MODEL_URL: `${model.url}/v1` }),
    );
    return this.relayServer;
  }

  /** The Parley that several rows share. */
  async parley(): Promise<ParleyUnderTest> {
    this.parleyServer ??= this.freshParley();
    return this.parleyServer;
  }

  /** The Parley of the other checkout. @throws Error if there is none */
  async other(): Promise<ParleyUnderTest> {
    const { otherFolder } = this.options;
    if (otherFolder === undefined) throw new Error('No other checkout is compared');
    this.otherServer ??= this.freshParley({}, 0, otherFolder);
    return this.otherServer;
  }

  /**
   * A Parley for one row; whoever asks for it stops it.
   *
   * @param env further settings
   * @param databaseDelayMs how much later each answer of PostgreSQL arrives
   * @param folder as that of `ServerProcess.start`
   */
  async freshParley(
    env: Readonly<Record<string, string>> = {},
    databaseDelayMs = 0,
    folder?: string,
  ): Promise<ParleyUnderTest> {
    const { postgresUrl } = this.options;
    const database = postgresUrl === undefined ? undefined : await ScratchDatabase.create(postgresUrl);
    const proxy = database && databaseDelayMs > 0 ? await delayProxy(database.url, databaseDelayMs) : undefined;
    const databaseUrl = proxy?.url ?? database?.url;
    const { url } = (await this.basics()).model;
    const far = { type: 'ag-ui', url: `${url}/ag-ui`, maxConcurrent: 1000 };
    const settings = {
      BENCH_MODEL_URL: `${url}/v1`,
      REMOTE_AGENTS: JSON.stringify({ agents: { [REMOTE_AGENT]: far } }),
      ...(databaseUrl === undefined ? {} : { BENCH_SERVER_DATABASE_URL: databaseUrl }),
      ...env,
    };
    const server = await ServerProcess.start('parley', settings, folder);
    const stop = async (): Promise<void> => {
      await server.stop();
      proxy?.close();
      await database?.drop();
    };
    return { server, database, stop };
  }

  /** What a variant is asked over. */
  wireOf(variant: Variant): WireName {
    return OVER[variant] ?? (variant === 'relay' ? 'relay' : this.options.wire);
  }

  /** One load against one variant, with the processor time that it cost there. */
  async measure(variant: Variant, loadFor: (target: { wire: WireName; port: number }) => AnswerLoad): Promise<Cell> {
    const isOther = variant === 'other';
    const parley = variant === 'relay' ? undefined : await (isOther ? this.other() : this.parley());
    const server = parley?.server ?? (await this.relay());
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const load = loadFor({ wire: this.wireOf(variant), port: server.port });
    const databaseBefore = await parley?.database?.cpu();
    const before = await server.cpu();
    const isProfiled = variant === 'parley' || variant === 'remote';
    const part = variant === 'parley' ? '' : variant;
    const result = await (isProfiled ? this.profiled(server, load, part) : this.load(load));
    const cpu = (await server.cpu()) - before;
    const databaseAfter = await parley?.database?.cpu();
    const known = databaseBefore !== undefined && databaseAfter !== undefined;
    return { cpu, databaseCpu: known ? databaseAfter - databaseBefore : undefined, result };
  }

  /** Streams that begin together, read to their ends. */
  streams(variant: Variant, streams: number, answer: Partial<Answer> & { readonly pieces: number }): Promise<Cell> {
    return this.measure(variant, (target) => ({ do: 'streams', ...target, streams, answer: answerOf(answer) }));
  }

  /** Complete short answers over kept connections. */
  requests(variant: Variant, requests = REQUESTS.requests): Promise<Cell> {
    const answer = answerOf({ pieces: 3 });
    return this.measure(variant, (target) => ({ do: 'requests', ...target, ...REQUESTS, requests, answer }));
  }

  /**
   * Lets a server answer short requests until V8 has compiled what it runs often: until then it measures the compiler,
   * which uses the other core. Does nothing for one that has warmed up.
   *
   * @returns what the first load cost and brought
   */
  warmUp(variant: Variant): Promise<Cell> {
    const first = this.warmedUp.get(variant) ?? this.warmUpLoads(variant);
    this.warmedUp.set(variant, first);
    return first;
  }

  private async warmUpLoads(variant: Variant): Promise<Cell> {
    const first = await this.requests(variant);
    for (let load = 1; load < this.options.warmUpLoads; load += 1) await this.requests(variant);
    return first;
  }

  /**
   * Measures Parley and its baseline in turn, round by round, after both have warmed up. The rounds of the warm-up are not
   * among the result.
   *
   * @param cell what is measured; called with `true` during the warm-up
   */
  async alternate(
    rounds: number,
    cell: (variant: Variant, warmUp: boolean) => Promise<Cell>,
    baseline: Exclude<Variant, 'parley'> = 'relay',
  ): Promise<Record<Variant, Cell[]>> {
    const cells: Record<Variant, Cell[]> = { relay: [], parley: [], other: [], chat: [], ui: [], remote: [] };
    for (const variant of [baseline, 'parley'] as const) {
      await this.warmUp(variant);
      await cell(variant, true);
    }
    for (let round = 0; round < rounds; round += 1) {
      // Each comes first in every other round: what the machine does beside them hits both.
      const order = round % 2 === 0 ? ([baseline, 'parley'] as const) : (['parley', baseline] as const);
      for (const variant of order) cells[variant].push(await cell(variant, false));
    }
    return cells;
  }

  async stop(): Promise<void> {
    this.printProfile();
    await (await this.parleyServer)?.stop();
    await (await this.otherServer)?.stop();
    await (await this.relayServer)?.stop();
    const basics = await this.started;
    await basics?.load.stop();
    await basics?.model.stop();
  }

  private printProfile(): void {
    for (const file of this.profiles) console.log(`\n${file}: ${profileSummary(file)}\n`);
    this.profiles.clear();
  }

  private basics(): Promise<{ model: ServerProcess; load: AnswerLoadProcess }> {
    this.started ??= Promise.all([ServerProcess.start('model'), AnswerLoadProcess.start()]).then(([model, load]) => ({
      model,
      load,
    }));
    return this.started;
  }
}
