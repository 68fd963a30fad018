import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NestFactoryStatic } from '@nestjs/core/nest-factory.js';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AppModule } from '../app.module.js';
import { readConfiguration } from '../app.settings.js';
import { configureApp, createFastifyAdapter, createOpenApiDocument } from '../app.setup.js';

/**
 * The OpenAPI document of a server, without listening and without its database.
 *
 * @param env its settings; where it keeps data and what it logs are ignored
 * @throws ConfigurationError
 */
export async function describeApi(env: NodeJS.ProcessEnv = {}): Promise<OpenAPIObject> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-openapi-'));
  try {
    const here = { DATA_DIR: folder, DATABASE_URL: '', PORT: '0', LOG_LEVEL: 'silent' };
    const configuration = readConfiguration({ ...env, ...here });
    const options = { logger: false, abortOnError: false } as const;
    const app = await new NestFactoryStatic().create<NestFastifyApplication>(
      AppModule.forRoot(configuration),
      createFastifyAdapter(configuration),
      options,
    );
    configureApp(app);
    // What the operations need is known once their routes are registered.
    await app.init();
    const document = createOpenApiDocument(app);
    await app.close();
    return document;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
