import { Module } from '@nestjs/common';
import { SessionModule } from '../../agent/session/index.js';
import { HttpModule } from '../http/index.js';
import { WireModule } from '../wire/index.js';
import { InterruptService } from './interrupt.service.js';
import { ApprovalsController } from './approvals.controller.js';
import { InterruptsController } from './interrupts.controller.js';

/** Approvals and inputs over REST. Needs `Runs` and `Interrupts` from global modules. */
@Module({
  imports: [HttpModule, SessionModule, WireModule],
  controllers: [ApprovalsController, InterruptsController],
  providers: [InterruptService],
})
export class ApprovalsModule {}
