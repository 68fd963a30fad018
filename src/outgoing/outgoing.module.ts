import { Module } from '@nestjs/common';
import { OutgoingHttp } from './outgoing-http.js';
import { OutgoingSettings } from './outgoing.settings.js';

/** The client of the server's own requests. Needs the settings from a global module. */
@Module({
  providers: [
    {
      provide: OutgoingHttp,
      useFactory: (settings: OutgoingSettings) => new OutgoingHttp(settings),
      inject: [OutgoingSettings],
    },
  ],
  exports: [OutgoingHttp],
})
export class OutgoingModule {}
