import { type DynamicModule, Global, Module } from '@nestjs/common';
import { createLogger } from './logger.js';
import { type LoggingSettings } from './logging.settings.js';
import { ServerLog } from './server-log.js';

/** The log of the process: structured, with one line per request. */
@Global()
@Module({})
export class LoggingModule {
  /** Logs according to `LOG_LEVEL` and `LOG_FORMAT`. Exports the `ServerLog`, which `configureApp` installs. */
  static forRoot(settings: LoggingSettings): DynamicModule {
    const log = { provide: ServerLog, useFactory: () => new ServerLog(createLogger(settings)) };
    return { module: LoggingModule, providers: [log], exports: [ServerLog] };
  }
}
