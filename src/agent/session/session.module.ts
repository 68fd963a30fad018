import { Global, Module } from '@nestjs/common';
import { SqlSessionStore } from './adapters/session-store.sql.js';
import { SqlSessionSearch } from './adapters/session-search.sql.js';
import { SqlSessions } from './adapters/sessions.sql.js';
import { SessionCleaners } from './session-cleaners.js';
import { SessionSearch } from './ports/session-search.js';
import { SessionStore } from './ports/session-store.js';
import { Sessions } from './ports/sessions.js';

/** Sessions: messages and state of (tenant, user, session). Needs the global database and clock. */
@Global()
@Module({
  providers: [
    { provide: SessionStore, useClass: SqlSessionStore },
    { provide: Sessions, useClass: SqlSessions },
    { provide: SessionSearch, useClass: SqlSessionSearch },
    SessionCleaners,
  ],
  exports: [SessionStore, Sessions, SessionSearch, SessionCleaners],
})
export class SessionModule {}
