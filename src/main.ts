import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { configureApp, createFastifyAdapter } from './app.setup.js';
import { banner } from './boot/banner.js';
import { assertPortFree, listenError } from './boot/port-probe.js';
import { StartupError } from './boot/startup-error.js';
import { stopOnSignals } from './boot/stop-on-signals.js';
import { type AppConfig, ConfigurationError, readConfig } from './config/index.js';
import { VERSION } from './health/index.js';

/** Many clients that reconnect at once wait in this queue instead of being refused. */
const LISTEN_BACKLOG = 4096;

async function bootstrap(): Promise<void> {
  const { config, warnings } = readConfig(process.env);
  await assertPortFree(config.http.host, config.http.port);
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(config),
    createFastifyAdapter(config),
    {
      bufferLogs: true,
      abortOnError: false,
    },
  );
  configureApp(app, config);
  stopOnSignals(app, config);
  await listen(app, config);
  for (const warning of warnings) new Logger('Configuration').warn(warning);
  process.stdout.write(banner(config, VERSION, listeningPort(app)));
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

/** One clear sentence; the stack only for somebody who debugs. */
function report(error: unknown): void {
  const isExplained = error instanceof ConfigurationError || error instanceof StartupError;
  const message = error instanceof Error ? error.message : String(error);
  console.error(isExplained ? message : `Parley cannot start: ${message}`);
  if (!isExplained && /^(debug|trace)$/.test(process.env.LOG_LEVEL ?? '')) console.error(error);
}

bootstrap().catch((error: unknown) => {
  report(error);
  process.exit(1);
});
