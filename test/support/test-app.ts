import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { ModelClient } from '../../src/agent/index.js';
import { AppModule, type Extensions } from '../../src/app.module.js';
import { configureApp, createFastifyAdapter } from '../../src/app.setup.js';
import { configFrom } from '../../src/config/index.js';
import type { TestDatabase } from './databases.js';

/** The whole server in this process, on a free port, with data of its own. */
export interface TestApp {
  readonly app: NestFastifyApplication;
  readonly url: string;
  close(): Promise<void>;
}

/** Boots the server as `main` does. Without DATABASE_URL it uses a temporary SQLite file. */
export async function bootApp(
  env: NodeJS.ProcessEnv = {},
  extensions: Extensions = {},
  /** Answers instead of the configured model. */
  model?: ModelClient,
): Promise<TestApp> {
  const dataDir = mkdtempSync(join(tmpdir(), 'parley-'));
  const config = configFrom({ DATA_DIR: dataDir, LOG_LEVEL: 'silent', SHUTDOWN_GRACE_MS: '500', ...env });
  const builder = Test.createTestingModule({ imports: [AppModule.forRoot(config, extensions)] });
  if (model) builder.overrideProvider(ModelClient).useValue(model);
  const module = await builder.compile();
  const app = module.createNestApplication<NestFastifyApplication>(createFastifyAdapter(config), { logger: false });
  configureApp(app, config);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const close = async (): Promise<void> => {
    await app.close();
    rmSync(dataDir, { recursive: true, force: true });
  };
  return { app, url: `http://127.0.0.1:${port}`, close };
}

/** Boots the server over a database of its own, which goes with it. */
export async function bootAppOn(
  open: () => Promise<TestDatabase>,
  env: NodeJS.ProcessEnv = {},
  extensions: Extensions = {},
  model?: ModelClient,
): Promise<TestApp> {
  const database = await open();
  const server = await bootApp({ ...database.env, ...env }, extensions, model);
  const close = async (): Promise<void> => {
    await server.close();
    await database.drop();
  };
  return { ...server, close };
}
