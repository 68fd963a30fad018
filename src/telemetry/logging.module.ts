import { type DynamicModule, Module } from '@nestjs/common';
import { createLogger } from './logger.js';
import { type LoggingSettings } from './logging.settings.js';
import { ServerLog } from './server-log.js';

/** The log of the whole process: structured, one line per request with its id. */
@Module({})
export class LoggingModule {
  /** Logs as `LOG_LEVEL` and `LOG_FORMAT` say. Exports the `ServerLog`, which `configureApp` installs. */
  static forRoot(settings: LoggingSettings): DynamicModule {
    const log = { provide: ServerLog, useFactory: () => new ServerLog(createLogger(settings)) };
    return { module: LoggingModule, providers: [log], exports: [ServerLog] };
  }
}
