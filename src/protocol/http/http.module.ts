import { Module } from '@nestjs/common';
import { APP_FILTER, APP_INTERCEPTOR } from '@nestjs/core';
import { ActiveStreams } from './sse/active-streams.js';
import { ConnectionDrain } from './connections/connection-drain.js';
import { FlushScheduler } from './sse/flush-scheduler.js';
import { HttpErrorFilter } from './errors/http-error.filter.js';
import { HttpErrors } from './errors/http-errors.js';
import { KeepAliveTimer } from './sse/keep-alive-timer.js';
import { ReceivedBytes } from './bodies/received-bytes.js';
import { SseInterceptor } from './sse/sse.interceptor.js';
import { StreamMetrics } from './sse/stream.metrics.js';

/** What all routes share: event streams and the global error filter. Needs `HttpSettings`. */
@Module({
  providers: [
    KeepAliveTimer,
    FlushScheduler,
    StreamMetrics,
    ActiveStreams,
    ConnectionDrain,
    ReceivedBytes,
    HttpErrors,
    { provide: APP_INTERCEPTOR, useClass: SseInterceptor },
    { provide: APP_FILTER, useClass: HttpErrorFilter },
  ],
  exports: [HttpErrors, KeepAliveTimer, ActiveStreams, ConnectionDrain, ReceivedBytes],
})
export class HttpModule {}
