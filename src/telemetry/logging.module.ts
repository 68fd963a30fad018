import { type DynamicModule, Module } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import { type AppConfig } from '../config/index.js';
import { pinoHttpOptions } from './logging-options.js';

/** The log of the whole process: structured, with the request id on every line of a request. */
@Module({})
export class LoggingModule {
  /** Logs as `LOG_LEVEL` and `LOG_FORMAT` say. Exports nestjs-pino's `Logger`, which `configureApp` installs. */
  static forRoot(config: AppConfig): DynamicModule {
    return { module: LoggingModule, imports: [LoggerModule.forRoot({ pinoHttp: pinoHttpOptions(config) })] };
  }
}
