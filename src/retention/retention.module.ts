import { Global, Module } from '@nestjs/common';
import { Retention } from './retention.js';

/** For how long data is kept. Needs the global clock, settings, and `TenantRetention`. */
@Global()
@Module({ providers: [Retention], exports: [Retention] })
export class RetentionModule {}
