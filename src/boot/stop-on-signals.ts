import { type INestApplication, Logger } from '@nestjs/common';
import { type AppConfig } from '../config/index.js';
import { ShutdownState } from '../health/index.js';

/** Left for closing connections after the work in progress had its time. */
const CLOSE_MARGIN_MS = 5000;
const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Stops the server cleanly on SIGTERM and SIGINT: not ready, drained, closed, exit code 0. A second
 * signal, or a shutdown that takes too long, ends the process at once; its runs are recovered by the
 * next start.
 */
export function stopOnSignals(app: INestApplication, config: AppConfig): void {
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
    }, config.http.shutdownGraceMs + CLOSE_MARGIN_MS).unref();
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
