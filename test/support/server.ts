import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import { type Abstract, ConsoleLogger, type INestApplicationContext, type Type } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test, type TestingModuleBuilder } from '@nestjs/testing';
import type { ModelSource } from '../../src/agent/index.js';
import { AppModule, type Extensions } from '../../src/app.module.js';
import { readConfiguration } from '../../src/app.settings.js';
import { configureApp, createFastifyAdapter } from '../../src/app.setup.js';
import { HAS_KEY } from './caller.js';
import { TRUSTED_BACK_END } from './identities.js';
import { encryptionEnv, type TestDatabase } from './databases.js';

/**
 * With `TEST_CALLER=key` every request is that of an authenticated back end (CONTRIBUTING.md), unless the test chooses
 * how callers are authenticated.
 */
const CALLER_OVERRIDES: readonly Override[] = HAS_KEY ? [TRUSTED_BACK_END] : [];

/** A provider of the server that a test replaces by a value. */
export interface Override {
  readonly provide: Type | Abstract<unknown>;
  readonly useValue: unknown;
}

/** What a server under test is made of. `imports` and `providers` add agents, tools and controllers. */
export interface ServerOptions extends Omit<Extensions, 'model'> {
  /**
   * The database. A function opens one that `close` drops; a database that is already open outlives the
   * server. Without it: a temporary SQLite file.
   */
  readonly database?: TestDatabase | (() => Promise<TestDatabase>);
  /** Settings, as environment variables. */
  readonly env?: NodeJS.ProcessEnv;
  /**
   * Answers instead of the offline model: a model that is given in code, or a script for a model server that
   * the real client calls over HTTP.
   */
  readonly model?: Exclude<ModelSource, (name: string | undefined) => unknown> | ((modelServer: LLMock) => void);
  readonly overrides?: readonly Override[];
  /** False: only the application context, with no HTTP server. */
  readonly listen?: boolean;
}

type Cleanup = () => unknown;

/** A whole server in this process; made by `startServer`. */
export class TestServer {
  private closing: Promise<void> | undefined;

  constructor(
    private readonly context: INestApplicationContext,
    /** The HTTP application, unless the server does not listen. */
    private readonly http: NestFastifyApplication | undefined,
    private readonly upstream: LLMock | undefined,
    private readonly cleanups: readonly Cleanup[],
  ) {}

  /** @throws if the server was started with `listen: false` */
  get app(): NestFastifyApplication {
    if (!this.http) throw new Error('The server was started with `listen: false`');
    return this.http;
  }

  get port(): number {
    return (this.app.getHttpServer().address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** @throws if the server was started without a script for a model server */
  get modelServer(): LLMock {
    if (!this.upstream) throw new Error('The server was started without a model server');
    return this.upstream;
  }

  /** A provider of any module. */
  get<T>(token: Type<T> | Abstract<T>): T {
    return this.context.get<T>(token, { strict: false });
  }

  /** Stops the server and removes what `startServer` made for it. A second call waits for the first. */
  close(): Promise<void> {
    return (this.closing ??= this.end());
  }

  private async end(): Promise<void> {
    await this.context.close();
    for (const cleanup of this.cleanups) await cleanup();
  }
}

/** Boots the whole server as `main` does: on a free port, with a database of its own, and silent. */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const cleanups: Cleanup[] = [];
  const upstream = typeof options.model === 'function' ? await startModelServer(options.model) : undefined;
  if (upstream) cleanups.push(() => upstream.stop());
  const configuration = readConfiguration({
    LOG_LEVEL: 'silent',
    // Tests count the requests to their model servers.
    LLM_START_CHECK: 'false',
    ...(await databaseEnv(options.database, cleanups)),
    SHUTDOWN_GRACE_MS: '500',
    // On a busy machine even a new connection takes its time.
    DATABASE_WAIT_MS: '10000',
    ...(upstream && { LLM_BASE_URL: `${upstream.url}/v1`, LLM_API_KEY: 'sk-test', LLM_MAX_RETRIES: '0' }),
    ...options.env,
  });
  const { imports = [], providers = [], providerOptions, models } = options;
  const model = typeof options.model === 'object' ? options.model : undefined;
  const module = await overridden(
    Test.createTestingModule({
      imports: [AppModule.forRoot(configuration, { imports, providers, model, models, providerOptions })],
    }),
    options,
  )
    .setLogger(new ConsoleLogger({ logLevels: [] }))
    .compile();
  if (options.listen === false) return new TestServer(await module.init(), undefined, upstream, cleanups);
  const app = module.createNestApplication<NestFastifyApplication>(createFastifyAdapter(configuration), {
    logger: false,
  });
  configureApp(app);
  const server = new TestServer(app, app, upstream, cleanups);
  try {
    await app.listen(0, '127.0.0.1');
  } catch (error) {
    await server.close();
    throw error;
  }
  return server;
}

async function startModelServer(script: (modelServer: LLMock) => void): Promise<LLMock> {
  const modelServer = new LLMock({ port: 0, chunkSize: 5 });
  script(modelServer);
  await modelServer.start();
  return modelServer;
}

async function databaseEnv(
  database: ServerOptions['database'],
  cleanups: Cleanup[],
): Promise<Readonly<Record<string, string>>> {
  if (typeof database === 'function') {
    const opened = await database();
    cleanups.push(() => opened.drop());
    return opened.env;
  }
  if (database) return database.env;
  const folder = mkdtempSync(join(tmpdir(), 'parley-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  return { DATA_DIR: folder, ...encryptionEnv() };
}

function overridden(builder: TestingModuleBuilder, { overrides = [], env }: ServerOptions): TestingModuleBuilder {
  for (const { provide, useValue } of [...(env?.AUTH === undefined ? CALLER_OVERRIDES : []), ...overrides])
    builder.overrideProvider(provide).useValue(useValue);
  return builder;
}
