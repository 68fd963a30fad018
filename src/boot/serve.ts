import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule, type Extensions } from '../app.module.js';
import { configureApp, createFastifyAdapter } from '../app.setup.js';
import { type AppConfig, readConfig } from '../config/index.js';
import { VERSION } from '../health/index.js';
import { banner } from './banner.js';
import { assertPortFree, listenError } from './port-probe.js';
import { stopOnSignals } from './stop-on-signals.js';

/** Many clients that reconnect at once wait in this queue instead of being refused. */
const LISTEN_BACKLOG = 4096;

/**
 * Starts the server with the environment's configuration and whatever agents and tools are added, and
 * tells on the terminal what to open. It stops on SIGTERM and SIGINT.
 *
 * @throws ConfigurationError, StartupError with a sentence that explains it; the driver's error when
 *   the database cannot be opened
 */
export async function serve(extensions: Extensions = {}): Promise<NestFastifyApplication> {
  const { config, warnings } = readConfig(process.env);
  await assertPortFree(config.http.host, config.http.port);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(config, extensions),
    createFastifyAdapter(config),
    { bufferLogs: true, abortOnError: false },
  );
  configureApp(app, config);
  stopOnSignals(app, config);
  await listen(app, config);
  for (const warning of warnings) new Logger('Configuration').warn(warning);
  process.stdout.write(banner(config, VERSION, listeningPort(app)));
  return app;
}

async function listen(app: NestFastifyApplication, config: AppConfig): Promise<void> {
  const { host, port } = config.http;
  try {
    await app.listen({ host, port, backlog: LISTEN_BACKLOG });
  } catch (error) {
    await app.close();
    throw error instanceof Error ? listenError(error, host, port) : error;
  }
}

function listeningPort(app: NestFastifyApplication): number {
  const address = app.getHttpServer().address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
