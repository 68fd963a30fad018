import { Global, Module } from '@nestjs/common';
import { TypeOrmSessionStore } from './adapters/typeorm-session-store.js';
import { TypeOrmSessionSearch } from './adapters/typeorm-session-search.js';
import { TypeOrmSessions } from './adapters/typeorm-sessions.js';
import { SessionCleaners } from './session-cleaners.js';
import { SessionSearch } from './ports/session-search.js';
import { SessionStore } from './ports/session-store.js';
import { Sessions } from './ports/sessions.js';

/** Sessions: messages and state of (tenant, user, session). Needs the global database and clock. */
@Global()
@Module({
  providers: [
    { provide: SessionStore, useClass: TypeOrmSessionStore },
    { provide: Sessions, useClass: TypeOrmSessions },
    { provide: SessionSearch, useClass: TypeOrmSessionSearch },
    SessionCleaners,
  ],
  exports: [SessionStore, Sessions, SessionSearch, SessionCleaners],
})
export class SessionModule {}
