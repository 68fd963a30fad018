import { Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ActiveStreams } from './active-streams.js';
import { CallerGuard, CallerResolver } from './caller.js';
import { FlushScheduler } from './flush-scheduler.js';
import { HttpErrorFilter } from './http-error.filter.js';
import { KeepAliveTimer } from './keep-alive-timer.js';

/** What all routes share: the caller, event streams, and the global error filter. Needs `HttpSettings`. */
@Module({
  providers: [
    KeepAliveTimer,
    FlushScheduler,
    ActiveStreams,
    CallerResolver,
    { provide: APP_GUARD, useClass: CallerGuard },
    { provide: APP_FILTER, useClass: HttpErrorFilter },
  ],
  exports: [KeepAliveTimer, ActiveStreams, CallerResolver],
})
export class HttpModule {}
