import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { ModelClient } from '../../src/agent/index.js';
import { type ScriptStep, ScriptedModelClient } from '../../src/agent/testing/scripted-model-client.js';
import { AppModule } from '../../src/app.module.js';
import { configureApp, createFastifyAdapter } from '../../src/app.setup.js';
import { Clock, IdFactory, SequentialIds } from '../../src/common/index.js';
import { configFrom } from '../../src/config/index.js';
import { Database } from '../../src/database/index.js';
import { Runs } from '../../src/run/index.js';
import { GOLDEN_SCENARIOS, GOLDEN_SCRIPTS, type GoldenScenario, GoldenTools } from './golden-scripts.js';

export * from './golden-scripts.js';

/** What all clocks of a golden server say: 1 January 2100, so that no timer finds a run too old. */
export const GOLDEN_NOW = 4_102_444_800_000;

const FOLDER = join(__dirname, '../contract/golden');

/** One request of a scenario. The body is sent as JSON; a string as it is. */
export interface GoldenRequest {
  /** POST unless said. */
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
  /** What begins a scenario: the user's question. */
  ask(scenario: GoldenScenario): GoldenRequest;
  /** What comes after it in a scenario that has more than one request. */
  readonly then?: Readonly<Partial<Record<GoldenScenario, readonly GoldenFollowUp[]>>>;
  /** Environment of the server, when the wire needs some. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Declares one test per scenario: a whole server with a clock that stands still, ids that count up and a
 * model that says what the scenario's script says; the bytes of each answer must be those of
 * `test/contract/golden/<wire>/<scenario>.sse`, of a second answer `<scenario>.2.sse`.
 * `UPDATE_GOLDEN=1` writes the files. Comments are left out: they depend on the time.
 */
export function goldenStreams(wire: GoldenWire, scenarios: readonly GoldenScenario[] = GOLDEN_SCENARIOS): void {
  describe(`golden streams of ${wire.name}`, () => {
    it.each(scenarios)('%s', async (scenario) => {
      const answers = await play(wire, scenario);
      answers.forEach((answer, index) => {
        const file = join(FOLDER, wire.name, `${scenario}${index === 0 ? '' : `.${index + 1}`}.sse`);
        if (process.env.UPDATE_GOLDEN === '1') write(file, answer);
        expect(answer).toBe(read(file));
      });
    });
  });
}

/** The bodies of a scenario's answers. */
export async function play(wire: GoldenWire, scenario: GoldenScenario): Promise<readonly string[]> {
  const server = await GoldenServer.boot(scenario, wire.env);
  try {
    const answers = [await server.send(wire.ask(scenario))];
    for (const followUp of wire.then?.[scenario] ?? []) answers.push(await server.send(followUp(answers)));
    return answers;
  } finally {
    await server.close();
  }
}

class GoldenServer {
  private constructor(
    private readonly app: NestFastifyApplication,
    private readonly dataDir: string,
    private readonly url: string,
  ) {}

  static async boot(scenario: GoldenScenario, env: NodeJS.ProcessEnv = {}): Promise<GoldenServer> {
    const dataDir = mkdtempSync(join(tmpdir(), 'parley-golden-'));
    const config = configFrom({ DATA_DIR: dataDir, LOG_LEVEL: 'silent', SHUTDOWN_GRACE_MS: '100', ...env });
    let cancel = (): void => undefined;
    const model = new ScriptedModelClient((_, call) => {
      const steps: readonly ScriptStep[] | undefined = GOLDEN_SCRIPTS[scenario][call];
      return (steps ?? []).map((step) => (step.type === 'do' ? { type: 'do', action: () => cancel() } : step));
    });
    const module = await Test.createTestingModule({
      imports: [AppModule.forRoot(config, { providers: [GoldenTools] })],
    })
      .overrideProvider(Clock)
      .useValue({ now: () => GOLDEN_NOW })
      .overrideProvider(IdFactory)
      .useValue(new SequentialIds())
      .overrideProvider(ModelClient)
      .useValue(model)
      .compile();
    const app = module.createNestApplication<NestFastifyApplication>(createFastifyAdapter(config), { logger: false });
    configureApp(app, config);
    await app.listen(0, '127.0.0.1');
    cancel = () => void cancelAll(app);
    const { port } = app.getHttpServer().address() as AddressInfo;
    return new GoldenServer(app, dataDir, `http://127.0.0.1:${port}`);
  }

  async send({ method = 'POST', path, body, headers = {} }: GoldenRequest): Promise<string> {
    const json = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: { ...(json !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(json !== undefined && { body: json }),
    });
    return (await answer.text()).replaceAll(/^: .*\n\n/gm, '');
  }

  async close(): Promise<void> {
    await this.app.close();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}

async function cancelAll(app: NestFastifyApplication): Promise<void> {
  const rows = await app
    .get(Database)
    .read.all<{ id: string; tenant: string; person: string }>(
      "SELECT id, tenant_id AS tenant, user_id AS person FROM runs WHERE status = 'running'",
    );
  for (const { id, tenant, person } of rows) await app.get(Runs).cancel({ tenantId: tenant, userId: person }, id);
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
