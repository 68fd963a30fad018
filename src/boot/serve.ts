import cluster from 'node:cluster';
import { createServer } from 'node:net';
import { type INestApplication, Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { ModelClient, ModelStartCheck } from '../agent/index.js';
import { AppModule, type Extensions } from '../app.module.js';
import { readConfiguration } from '../app.settings.js';
import { configureApp, createFastifyAdapter, policyWarnings } from '../app.setup.js';
import { StartupError, VERSION } from '../common/index.js';
import { ServerSettings } from '../config/index.js';
import { DatabaseSettings, ensureDatabaseFolder } from '../database/index.js';
import { ShutdownState } from '../health/index.js';
import { ActiveStreams, ConnectionDrain } from '../protocol/http/index.js';
import { Dispatcher, FleetSettings } from '../run/index.js';
import { MetricsSettings } from '../telemetry/index.js';
import { compileAtFirstCall, delayMemoryReducer, leaveOutAsyncResourceProperty } from '../runtime/index.js';
import { banner } from './banner.js';
import { supervise } from './supervise.js';

/** Many clients that reconnect at once wait in this queue instead of being refused. */
const LISTEN_BACKLOG = 4096;
/** Time to close connections after the grace period for work in progress. */
const CLOSE_MARGIN_MS = 5000;
/** How long a database that does not answer may delay a shutdown, in milliseconds. */
const PEERS_MS = 2000;
/** How often a process that drains looks for the others, and after how many looks without one it drains no longer. */
const PEERS_CHECK_MS = 1000;
const MOST_MISSES = 2;
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
  const { address, addressSetting } = configuration.get(DatabaseSettings);
  ensureDatabaseFolder(address, addressSetting);
  if (cluster.isPrimary) await assertPortFree(server.host, server.port);
  const { workers } = configuration.get(FleetSettings);
  if (workers > 1 && cluster.isPrimary) process.exit(await supervise(workers, configuration.get(MetricsSettings).port));
  leaveOutAsyncResourceProperty();
  delayMemoryReducer();
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.forRoot(configuration, extensions),
    createFastifyAdapter(configuration),
    { bufferLogs: true, abortOnError: false },
  );
  configureApp(app);
  stopOnSignals(app, server.shutdownGraceMs, configuration.get(FleetSettings));
  await listen(app, server);
  compileAtFirstCall();
  const { info } = app.get(ModelClient, { strict: false });
  // Of several processes the first speaks for all.
  if (cluster.isPrimary || cluster.worker?.id === 1) {
    const logger = new Logger('Configuration');
    for (const warning of [...configuration.warnings, ...policyWarnings(app)]) logger.warn(warning);
    process.stdout.write(banner(configuration, VERSION, listeningPort(app), info));
    // One that executes no runs calls no model, and one that is given in code is tried by whoever gives it.
    if (configuration.get(FleetSettings).role !== 'web' && extensions.model === undefined)
      void app.get(ModelStartCheck, { strict: false }).run();
  }
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

/** The value of a promise, or another one if it fails or takes longer. */
async function within<T>(milliseconds: number, promise: Promise<T>, otherwise: T): Promise<T> {
  const late = new Promise<T>((resolve) => setTimeout(resolve, milliseconds, otherwise).unref());
  return Promise.race([promise.catch(() => otherwise), late]);
}

/** Waits for the end of a drain. Returns false as soon as no other process is left that could continue its runs. */
async function isDrainedByPeers(drained: Promise<unknown>, dispatcher: Dispatcher): Promise<boolean> {
  const over = drained.then(
    () => true,
    () => true,
  );
  for (let misses = 0; misses < MOST_MISSES;) {
    if (await within(PEERS_CHECK_MS, over, false)) {
      await drained;
      return true;
    }
    misses = (await within(PEERS_MS, dispatcher.hasPeers(), true)) ? 0 : misses + 1;
  }
  return false;
}

function listeningPort(app: NestFastifyApplication): number {
  const address = app.getHttpServer().address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/**
 * Stops the server on SIGTERM and SIGINT: not ready, drained, closed, exit code 0. If other processes execute runs,
 * they take over those of this one, while its streams continue; otherwise its runs get SHUTDOWN_GRACE_MS. A second
 * signal, or a shutdown that takes too long, ends the process at once; its runs are recovered by the next start.
 */
function stopOnSignals(app: INestApplication, graceMs: number, fleet: FleetSettings): void {
  const logger = new Logger('Shutdown');
  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    logger.log(`${signal}: finishing the work in progress`);
    app.get(ShutdownState).begin();
    const connections = app.get(ConnectionDrain, { strict: false });
    connections.begin();
    const dispatcher = app.get(Dispatcher, { strict: false });
    const hasPeers = await within(PEERS_MS, dispatcher.leave(), false);
    const drainMs = hasPeers ? Math.max(fleet.drainRunMs, fleet.drainStreamMs) + ConnectionDrain.MOST_MS : 0;
    setTimeout(
      () => {
        logger.error('The shutdown took too long');
        process.exit(1);
      },
      drainMs + graceMs + CLOSE_MARGIN_MS,
    ).unref();
    if (hasPeers) {
      logger.log('Other processes continue the runs of this one');
      const streams = app.get(ActiveStreams, { strict: false });
      // Of several processes on one port, the others get all connections from now on; a load balancer has to notice.
      const untaken = cluster.isWorker ? connections.stopAccepting() : connections.quiet();
      const drained = Promise.all([dispatcher.drain(), streams.drain(fleet.drainStreamMs), untaken])
        .then(() => connections.stopAccepting())
        .then(() => connections.idle());
      if (!(await isDrainedByPeers(drained, dispatcher))) logger.warn('No other process executes runs any more');
    }
    await app.close();
    process.exit(0);
  };
  // The process that supervises this one passes on the signals of the terminal.
  for (const signal of cluster.isWorker ? (['SIGTERM'] as const) : SIGNALS) {
    process.on(signal, () => {
      stop(signal).catch((error: unknown) => {
        logger.error(error);
        process.exit(1);
      });
    });
  }
  if (cluster.isWorker) process.on('SIGINT', () => undefined);
}

/**
 * Checks that the server can listen on the address. Called before anything else: a second server on the same
 * database must not take over runs that it cannot serve.
 *
 * @throws StartupError that says what to do about it
 */
export async function assertPortFree(host: string, port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, host, port)));
    server.listen({ host, port }, () => server.close(() => resolve()));
  });
}

/** The StartupError for a failed `listen`; any other error is returned unchanged. */
export function listenError(error: Error, host: string, port: number): Error {
  switch ('code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return new StartupError(
        `Port ${port} on ${host} is already in use: stop the program that uses it, or choose another port with PORT=${port === 65_535 ? 8091 : port + 1}.`,
      );
    case 'EACCES':
      return new StartupError(`This user may not listen on port ${port}: choose a port above 1023 with PORT.`);
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new StartupError(`HOST is ${host}, which is not an address of this machine.`);
    default:
      return error;
  }
}
