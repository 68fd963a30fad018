import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { EncoderRegistry } from './encoder-registry.js';
import { ErrorMappers } from './error-mappers.js';
import { HttpErrorFilter } from './http-error.filter.js';
import { KeepAliveWheel } from './keep-alive-wheel.js';
import { OpenStreams } from './open-streams.js';
import { WriteTurn } from './write-turn.js';

/** What all wires share: event streams, and the global error filter. Needs `AppConfig`. */
@Module({
  providers: [
    KeepAliveWheel,
    WriteTurn,
    OpenStreams,
    ErrorMappers,
    EncoderRegistry,
    { provide: APP_FILTER, useClass: HttpErrorFilter },
  ],
  exports: [KeepAliveWheel, OpenStreams, ErrorMappers, EncoderRegistry],
})
export class HttpModule {}
