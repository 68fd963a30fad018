import { Module } from '@nestjs/common';
import { HttpModule } from '../http/index.js';
import { ApiKeysController } from './api-keys.controller.js';
import { LimitsController } from './limits.controller.js';
import { TenantsController } from './tenants.controller.js';
import { TicketsController } from './tickets.controller.js';

/** Keys, limits, tenants and tickets over REST. Needs `src/access`, `PublicAddress` and `Clock` from global modules. */
@Module({
  imports: [HttpModule],
  controllers: [ApiKeysController, LimitsController, TenantsController, TicketsController],
})
export class AdminModule {}
