import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { NestFactoryStatic } from '@nestjs/core/nest-factory.js';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AgentRegistry, AgentShapes, type ModelOptions, ModelSettings } from '../agent/index.js';
import { AppModule, createModel, type Extensions } from '../app.module.js';
import { environmentOf, type GivenSettings, readConfiguration } from '../app.settings.js';
import { configureApp, createFastifyAdapter } from '../app.setup.js';
import { AttachmentReader } from '../agent/attachment/index.js';
import { DEFAULT_TENANT, type JsonObject, type Principal, userReach } from '../common/index.js';
import { type Message, textMessage } from '../events/index.js';
import { Interrupts } from '../agent/interrupt/index.js';
import { DEFAULT_WIRE, type InterruptAnswer, type RunRequest, Runs, type RunView } from '../run/index.js';
import { type ToolDeclaration, ToolRegistry } from '../agent/tools/index.js';
import { RecordedModel } from './recorded-model.js';
import { TestModel } from './test-model.js';
import { FinishedRun, type RunSource } from './test-run.js';

/** What a test server is made of. `model` answers for all agents but those that choose one of `models`. */
export interface TestServerOptions extends Omit<Extensions, 'isModelForAll'> {
  /**
   * Settings by the names of their variables. Those of the environment are not read, except those of the model server
   * while its answers are recorded. The defaults are those of a server, except: no samples if there is a model, no log,
   * no wait when it stops.
   */
  readonly settings?: GivenSettings;
}

/** What a test may choose of a run. */
export interface RunOptions {
  /** The agent type. Default: DEFAULT_AGENT. */
  readonly agent?: string;
  /** The session of an earlier run, to continue it. Default: a new one. */
  readonly session?: string;
  /** The user that the run belongs to. Default `tester`. */
  readonly user?: string;
  /** Tools of the client. */
  readonly clientTools?: readonly ToolDeclaration[];
  /** The shared state of the session before the run. */
  readonly state?: JsonObject;
  /** Opaque properties of the request. */
  readonly forwardedProps?: JsonObject;
}

const DEFAULTS: GivenSettings = { LOG_LEVEL: 'silent', DURABILITY: 'relaxed', SHUTDOWN_GRACE_MS: 0, HOST: '127.0.0.1' };

/** What an agent may use. */
export interface TestAgent {
  /** The names of its tools. */
  readonly tools: readonly string[];
  /** The name of the model that it has chosen; null: the model of the server. */
  readonly model: string | null;
  /** What it asks of its model with every call. */
  readonly modelOptions: ModelOptions;
  /** Model calls that one run of it may make. */
  readonly maxSteps: number;
}

/** A whole server in the process of a test, on a free port of this machine. Made by `startTestServer`. */
export class TestServer implements RunSource {
  private closing: Promise<void> | undefined;

  constructor(
    /** The Nest application, whose providers a test may read. */
    readonly app: NestFastifyApplication,
    private readonly model: Extensions['model'],
    private readonly folder: string,
  ) {}

  /** Where clients of any wire reach it. */
  get url(): string {
    return `http://127.0.0.1:${(this.app.getHttpServer().address() as AddressInfo).port}`;
  }

  /**
   * Runs an agent to its end.
   *
   * @param input what the user says, or whole messages
   * @throws AppError if the run is not accepted; an error if a scripted or recorded model has no answer
   */
  async run(input: string | readonly Message[], options: RunOptions = {}): Promise<FinishedRun> {
    const { run } = await this.app.get(Runs, { strict: false }).accept(this.request(input, options));
    return this.finished(run);
  }

  /** What an agent may use, as its decorator says. @throws AppError AGENT_NOT_FOUND */
  async agent(name: string): Promise<TestAgent> {
    const agent = this.app.get(AgentRegistry, { strict: false }).get(name);
    const lists = agent.shape.tools ? [agent.shape.tools] : [];
    const { serverTools } = await this.app.get(ToolRegistry, { strict: false }).toolSet([], { authority: null, lists });
    const shape = this.app.get(AgentShapes, { strict: false }).viewOf(agent);
    return Object.assign(shape, { tools: serverTools.map((tool) => tool.name) });
  }

  /** Answers an interrupt and waits for the run that continues. @throws AppError as `Runs.answer` */
  async answer(answer: InterruptAnswer): Promise<FinishedRun> {
    const reach = { of: 'tenant', tenantId: DEFAULT_TENANT } as const;
    const { run } = await this.app.get(Runs, { strict: false }).answer(reach, null, [answer]);
    return this.finished(run);
  }

  /** The frames of a run on a wire, as its clients read them. @throws for an unknown wire or run */
  async frames(runId: string, wire: string): Promise<readonly unknown[]> {
    const query = new URLSearchParams({ protocol: wire });
    const response = await fetch(`${this.url}/runs/${encodeURIComponent(runId)}/events?${query.toString()}`);
    const stream = await response.text();
    if (!response.ok) throw new Error(`The run has no frames of ${wire}: ${response.status} ${stream}`);
    return stream.split('\n\n').flatMap(payloadOf);
  }

  /** Stops the server and removes its data. A second call waits for the first. */
  close(): Promise<void> {
    return (this.closing ??= this.end());
  }

  private request(input: string | readonly Message[], options: RunOptions): RunRequest {
    const { session, user = 'tester', agent, clientTools = [], forwardedProps = {}, state } = options;
    const principal: Principal = { tenantId: DEFAULT_TENANT, userId: user };
    const said =
      typeof input === 'string' ? [textMessage({ id: `msg_${randomUUID()}`, role: 'user', text: input })] : input;
    return {
      principal,
      reach: userReach(principal),
      requester: null,
      sessionId: session ?? `session_${randomUUID()}`,
      sessionGiven: session !== undefined,
      agentType: agent ?? this.app.get(AgentRegistry, { strict: false }).defaultName,
      input: said,
      clientTools,
      modelOptions: {},
      forwardedProps,
      onBusy: 'enqueue',
      wire: DEFAULT_WIRE,
      ...(state && { state }),
    };
  }

  private async finished({ runId, tenantId, userId, sessionId }: RunView): Promise<FinishedRun> {
    const reach = userReach({ tenantId, userId });
    const runs = this.app.get(Runs, { strict: false });
    for await (const _batch of runs.tail(reach, runId));
    if (this.model instanceof TestModel && this.model.missing) throw this.model.missing;
    const [{ state }, response, interrupts] = await Promise.all([
      runs.view(reach, runId),
      runs.response(reach, runId),
      this.app.get(Interrupts, { strict: false }).pending(reach, sessionId),
    ]);
    return new FinishedRun(runId, state, response, interrupts, this);
  }

  private async end(): Promise<void> {
    await this.app.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * Starts a server with the given agents, tools and model, with an empty database of its own, without authentication.
 *
 * @throws ConfigurationError for settings that do not exist or cannot be used
 */
export async function startTestServer({ settings, ...extensions }: TestServerOptions = {}): Promise<TestServer> {
  const { model } = extensions;
  const folder = mkdtempSync(join(tmpdir(), 'parley-test-'));
  const isRecordingServer = model instanceof RecordedModel && model.records && model.source === undefined;
  const given = {
    ...DEFAULTS,
    SAMPLES: model === undefined ? 'on' : 'off',
    DATA_DIR: folder,
    ...(isRecordingServer && modelSettingsOf(process.env)),
    ...settings,
  };
  const hasModel = model !== undefined && !isRecordingServer;
  const configuration = readConfiguration(environmentOf(given), { hasModel });
  const app = await new NestFactoryStatic().create<NestFastifyApplication>(
    AppModule.forRoot(configuration, Object.assign({}, extensions, { isModelForAll: hasModel })),
    createFastifyAdapter(configuration),
    { bufferLogs: true, abortOnError: false },
  );
  configureApp(app);
  if (model instanceof RecordedModel) connect(model, app);
  const server = new TestServer(app, model, folder);
  try {
    await app.listen(0, '127.0.0.1');
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}

/** The settings of the model server in an environment. */
function modelSettingsOf(env: NodeJS.ProcessEnv): GivenSettings {
  const names = Object.values(ModelSettings.declarations).map(({ name }) => name);
  return Object.fromEntries(names.map((name) => [name, env[name]]));
}

/** Gives a recorded model what it needs of the server. */
function connect(model: RecordedModel, app: NestFastifyApplication): void {
  const settings = app.get(ModelSettings, { strict: false });
  const attachments = app.get(AttachmentReader, { strict: false });
  const servers = [settings.main, ...settings.named].map(({ server }) => server);
  model.connect({
    attachments,
    secrets: servers.flatMap(({ apiKey }) => apiKey ?? []),
    source: () => createModel(settings, attachments, model.source),
  });
}

/** The JSON of an event of a stream; none for comments and for the mark of the end. */
function payloadOf(event: string): readonly unknown[] {
  const lines = event.split('\n').filter((line) => line.startsWith('data:'));
  const text = lines.map((line) => line.slice(5).trimStart()).join('\n');
  return text === '' || text === '[DONE]' ? [] : [JSON.parse(text) as unknown];
}
