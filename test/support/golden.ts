import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ScriptStep, ScriptedModelClient } from '../../src/agent/testing/scripted-model-client.js';
import { Clock, FixedClock, IdFactory, SequentialIds, userReach } from '../../src/common/index.js';
import { Database } from '../../src/database/index.js';
import { Wires } from '../../src/protocol/wire/index.js';
import { EncoderRevisions, Runs } from '../../src/run/index.js';
import {
  GOLDEN_SCENARIOS,
  GOLDEN_SCRIPTS,
  GoldenBrokenTools,
  GoldenPartsAgent,
  GoldenQuestionAgent,
  type GoldenScenario,
  GoldenTools,
} from './golden-scripts.js';
import { expectEveryCursor } from './every-cursor.js';
import { startServer, type TestServer } from './server.js';

export * from './golden-scripts.js';

/** What all clocks of a golden server say: 1 January 2100, so that no timer finds a run too old. */
export const GOLDEN_NOW = 4_102_444_800_000;

const FOLDER = join(__dirname, '../contract/golden');

/** One request of a scenario. The body is sent as JSON; a string as it is. */
export interface GoldenRequest {
  /** Default: POST. */
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request that follows from the bodies of the answers before it. */
export type GoldenFollowUp = (answers: readonly string[]) => GoldenRequest;

/** How a wire plays the scenarios. */
export interface GoldenWire {
  /** The folder below test/contract/golden. */
  readonly name: string;
  /** The name of the wire whose frames these are. Default: `name`. */
  readonly wire?: string;
  /** What begins a scenario: the user's question. */
  ask(scenario: GoldenScenario): GoldenRequest;
  /** What comes after it in a scenario that has more than one request. */
  readonly then?: Readonly<Partial<Record<GoldenScenario, readonly GoldenFollowUp[]>>>;
  /** Environment of the server, when the wire needs some. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Declares one test per scenario: a server with a stopped clock, sequential ids and a model that follows
 * the scenario's script; the bytes of each answer must be those of
 * `test/contract/golden/<wire>/<scenario>.sse`, of a second answer `<scenario>.2.sse`, and whoever has some of the
 * frames gets exactly the others. Each revision of the encoder that
 * the server knows is played, later ones than the first in the folder `<wire>/revision-<n>`.
 * `UPDATE_GOLDEN=1` writes the files. Comments are left out: they depend on the time.
 */
export function goldenStreams(wire: GoldenWire, scenarios: readonly GoldenScenario[] = GOLDEN_SCENARIOS): void {
  describe(`golden streams of ${wire.name}`, () => {
    it.each(scenarios)('the stream of the scenario %s is unchanged', async (scenario) => {
      const known: number[] = [];
      await compare(wire, scenario, { known });
      const [first, ...later] = known;
      expect(first).toBe(1);
      for (const revision of later) await compare(wire, scenario, { revision });
    });
  });
}

/** Compares the answers of one revision with its files. */
async function compare(wire: GoldenWire, scenario: GoldenScenario, options: PlayOptions): Promise<void> {
  const check = async (server: TestServer, ids: readonly string[]): Promise<void> => {
    for (const id of ids) await expectEveryCursor(server, id, wire.wire ?? wire.name);
  };
  const answers = await play(wire, scenario, { check, ...options });
  const { revision = 1 } = options;
  const folder = join(FOLDER, wire.name, ...(revision === 1 ? [] : [`revision-${revision}`]));
  answers.forEach((answer, index) => {
    const file = join(folder, `${scenario}${index === 0 ? '' : `.${index + 1}`}.sse`);
    if (process.env.UPDATE_GOLDEN === '1') write(file, answer);
    expect(answer).toBe(read(file));
  });
}

/** How a scenario is played. */
interface PlayOptions {
  /** The revision of the wire's encoder that its runs get. Default 1. */
  readonly revision?: number;
  /** Gets the revisions that the server knows. */
  readonly known?: number[];
  /** Called at the end with the ids of the scenario's runs, while the server is there. */
  readonly check?: (server: TestServer, runIds: readonly string[]) => Promise<void>;
}

/** The bodies of a scenario's answers. */
export async function play(
  wire: GoldenWire,
  scenario: GoldenScenario,
  { revision = 1, known = [], check }: PlayOptions = {},
): Promise<readonly string[]> {
  const server = await startGoldenServer(scenario, wire.env);
  try {
    const name = wire.wire ?? wire.name;
    server.get(EncoderRevisions).declare(name, revision);
    known.push(...server.get(Wires).watchable(name).encoderRevisions.known);
    const answers = [await send(server, wire.ask(scenario))];
    for (const followUp of wire.then?.[scenario] ?? []) answers.push(await send(server, followUp(answers)));
    await check?.(server, await runIds(server));
    return answers;
  } finally {
    await server.close();
  }
}

/** A server with a stopped clock, sequential ids, and a model that follows the scenario's script. */
async function startGoldenServer(scenario: GoldenScenario, env: NodeJS.ProcessEnv = {}): Promise<TestServer> {
  let cancel = (): void => undefined;
  const model = new ScriptedModelClient((_, call) => {
    const steps: readonly ScriptStep[] | undefined = GOLDEN_SCRIPTS[scenario][call];
    return (steps ?? []).map((step) => (step.type === 'do' ? { type: 'do', action: () => cancel() } : step));
  });
  const server = await startServer({
    env: { SHUTDOWN_GRACE_MS: '100', ...env },
    providers: [
      GoldenTools,
      ...(scenario === 'tool-failure' ? [GoldenBrokenTools] : []),
      GoldenPartsAgent,
      GoldenQuestionAgent,
    ],
    model,
    overrides: [
      { provide: Clock, useValue: new FixedClock(GOLDEN_NOW) },
      { provide: IdFactory, useValue: new SequentialIds() },
    ],
  });
  cancel = () => void cancelAll(server);
  return server;
}

async function send(
  { url }: TestServer,
  { method = 'POST', path, body, headers = {} }: GoldenRequest,
): Promise<string> {
  const json = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(json !== undefined && { body: json }),
  });
  return (await answer.text()).replaceAll(/^: .*\n\n/gm, '');
}

/** The ids of all runs, in their order. */
async function runIds(server: TestServer): Promise<readonly string[]> {
  const rows = await server.get(Database).read.all<{ id: string }>('SELECT id FROM runs ORDER BY no');
  return rows.map(({ id }) => id);
}

async function cancelAll(server: TestServer): Promise<void> {
  const rows = await server
    .get(Database)
    .read.all<{ id: string; tenant: string; person: string }>(
      "SELECT id, tenant_id AS tenant, user_id AS person FROM runs WHERE status = 'running'",
    );
  for (const { id, tenant, person } of rows)
    await server.get(Runs).cancel(userReach({ tenantId: tenant, userId: person }), id);
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    throw new Error(`${file} is not there; UPDATE_GOLDEN=1 writes it, then read it`);
  }
}
