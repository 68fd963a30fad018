import { type INestApplication, Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { ModelClient } from '../agent/index.js';
import { AppModule, type Extensions } from '../app.module.js';
import { readConfiguration } from '../app.settings.js';
import { configureApp, createFastifyAdapter, policyWarnings } from '../app.setup.js';
import { VERSION } from '../common/index.js';
import { ServerSettings } from '../config/index.js';
import { ShutdownState } from '../health/index.js';
import { banner } from './banner.js';
import { assertPortFree, listenError } from './port-probe.js';

/** Many clients that reconnect at once wait in this queue instead of being refused. */
const LISTEN_BACKLOG = 4096;
/** Time to close connections after the grace period for work in progress. */
const CLOSE_MARGIN_MS = 5000;
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Starts the server with the configuration of the environment and the given agents, tools and model, and
 * prints its addresses on the terminal. It stops on SIGTERM and SIGINT.
 *
 * @throws ConfigurationError, StartupError with a message that explains it; the driver's error if the
 *   database cannot be opened
 */
export async function serve(extensions: Extensions = {}): Promise<NestFastifyApplication> {
  const configuration = readConfiguration(process.env, { hasModel: extensions.model !== undefined });
  const server = configuration.get(ServerSettings);
  await assertPortFree(server.host, server.port);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(configuration, extensions),
    createFastifyAdapter(configuration),
    { bufferLogs: true, abortOnError: false },
  );
  configureApp(app);
  stopOnSignals(app, server.shutdownGraceMs);
  await listen(app, server);
  for (const warning of [...configuration.warnings, ...policyWarnings(app)]) new Logger('Configuration').warn(warning);
  const { info } = app.get(ModelClient, { strict: false });
  process.stdout.write(banner(configuration, VERSION, listeningPort(app), extensions.model && info));
  return app;
}

async function listen(app: NestFastifyApplication, { host, port }: ServerSettings): Promise<void> {
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

/**
 * Stops the server on SIGTERM and SIGINT: not ready, drained, closed, exit code 0. A second signal, or a
 * shutdown that takes too long, ends the process at once; its runs are recovered by the next start.
 */
function stopOnSignals(app: INestApplication, graceMs: number): void {
  const logger = new Logger('Shutdown');
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.log(`${signal}: finishing the work in progress`);
    app.get(ShutdownState).begin();
    setTimeout(() => {
      logger.error('The shutdown took too long');
      process.exit(1);
    }, graceMs + CLOSE_MARGIN_MS).unref();
    await app.close();
    process.exit(0);
  };
  for (const signal of SIGNALS) {
    process.on(signal, () => {
      stop(signal).catch((error: unknown) => {
        logger.error(error);
        process.exit(1);
      });
    });
  }
}
