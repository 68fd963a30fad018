import { Global, Module } from '@nestjs/common';
import { TypeOrmEraseJobs } from './adapters/typeorm-erase-jobs.js';
import { SqlUserRows } from './adapters/user-rows.sql.js';
import { AUDIT_EXPORT } from './audit-export.js';
import { ErasureRunner } from './erasure-runner.js';
import { ErasureBooks, ErasureWork } from './erasure-work.js';
import { Erasures } from './erasures.js';
import { EraseJobs } from './ports/erase-jobs.js';
import { UserRows } from './ports/user-rows.js';
import { UserCleaners } from './user-cleaners.js';
import { UserExporters } from './user-exporters.js';
import { ExportBooks, UserExports } from './user-exports.js';

/**
 * For commands: to ask for erasures, to read receipts, and to export. Needs the database, the audit trail and `Clock`.
 * Features register their `UserExporter`.
 */
@Global()
@Module({
  providers: [
    { provide: EraseJobs, useClass: TypeOrmEraseJobs },
    { provide: UserRows, useClass: SqlUserRows },
    Erasures,
    UserExporters,
    ExportBooks,
    UserExports,
  ],
  exports: [EraseJobs, Erasures, UserExporters, UserExports],
})
export class DataProtectionStoreModule {
  constructor(exporters: UserExporters) {
    // The audit trail does not know of erasures and exports.
    exporters.register(AUDIT_EXPORT);
  }
}

/** Erasures of a server, which carries them out. Features register their `UserCleaner`. */
@Global()
@Module({
  imports: [DataProtectionStoreModule],
  providers: [UserCleaners, ErasureBooks, ErasureWork, ErasureRunner],
  exports: [UserCleaners, ErasureRunner, DataProtectionStoreModule],
})
export class DataProtectionModule {}
