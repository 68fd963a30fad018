import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ActiveStreams } from './active-streams.js';
import { ConnectionDrain } from './connection-drain.js';
import { FlushScheduler } from './flush-scheduler.js';
import { HttpErrorFilter } from './http-error.filter.js';
import { KeepAliveTimer } from './keep-alive-timer.js';
import { ReceivedBytes } from './received-bytes.js';
import { StreamMetrics } from './stream.metrics.js';

/** What all routes share: event streams and the global error filter. Needs `HttpSettings`. */
@Module({
  providers: [
    KeepAliveTimer,
    FlushScheduler,
    StreamMetrics,
    ActiveStreams,
    ConnectionDrain,
    ReceivedBytes,
    { provide: APP_FILTER, useClass: HttpErrorFilter },
  ],
  exports: [KeepAliveTimer, ActiveStreams, ConnectionDrain, ReceivedBytes],
})
export class HttpModule {}
