import { Global, Module } from '@nestjs/common';
import { TypeOrmEraseJobs } from './adapters/typeorm-erase-jobs.js';
import { ErasureRunner } from './erasure-runner.js';
import { ErasureBooks, ErasureWork } from './erasure-work.js';
import { Erasures } from './erasures.js';
import { EraseJobs } from './ports/erase-jobs.js';
import { UserCleaners } from './user-cleaners.js';

/** Erasures for commands: to ask for them and to read receipts. Needs the database, the audit trail and `Clock`. */
@Global()
@Module({
  providers: [{ provide: EraseJobs, useClass: TypeOrmEraseJobs }, Erasures],
  exports: [EraseJobs, Erasures],
})
export class DataProtectionStoreModule {}

/** Erasures of a server, which carries them out. Features register their `UserCleaner`. */
@Global()
@Module({
  imports: [DataProtectionStoreModule],
  providers: [UserCleaners, ErasureBooks, ErasureWork, ErasureRunner],
  exports: [UserCleaners, ErasureRunner, DataProtectionStoreModule],
})
export class DataProtectionModule {}
