import { Module } from '@nestjs/common';
import { TypeOrmSessionStore } from './adapters/typeorm-session-store.js';
import { SessionStore } from './session-store.js';

/** Sessions: messages and state of (tenant, user, session). */
@Module({
  providers: [{ provide: SessionStore, useClass: TypeOrmSessionStore }],
  exports: [SessionStore],
})
export class SessionModule {}
