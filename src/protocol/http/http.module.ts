import { Module, type OnModuleInit } from '@nestjs/common';
import { APP_FILTER, HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { EncoderRegistry } from './encoder-registry.js';
import { ErrorMappers } from './error-mappers.js';
import { HttpErrorFilter } from './http-error.filter.js';
import { KeepAliveTimer } from './keep-alive-timer.js';
import { ActiveStreams } from './active-streams.js';
import { registerErrorBodies } from './unroutable.js';
import { FlushScheduler } from './flush-scheduler.js';

/** What all wires share: event streams, and the global error filter. Needs `AppConfig`. */
@Module({
  providers: [
    KeepAliveTimer,
    FlushScheduler,
    ActiveStreams,
    ErrorMappers,
    EncoderRegistry,
    { provide: APP_FILTER, useClass: HttpErrorFilter },
  ],
  exports: [KeepAliveTimer, ActiveStreams, ErrorMappers, EncoderRegistry],
})
export class HttpModule implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly mappers: ErrorMappers,
  ) {}

  onModuleInit(): void {
    // An application context serves nothing: it has no adapter.
    const { httpAdapter } = this.host as Partial<HttpAdapterHost>;
    if (httpAdapter) registerErrorBodies(httpAdapter.getInstance<FastifyInstance>(), this.mappers);
  }
}
