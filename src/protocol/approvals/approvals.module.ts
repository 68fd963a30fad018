import { Module } from '@nestjs/common';
import { HttpModule } from '../http/index.js';
import { AnswerDesk } from './answer-desk.js';
import { ApprovalsController } from './approvals.controller.js';
import { InterruptsController } from './interrupts.controller.js';

/** Permissions and inputs over REST. Needs `Runs` and `Interrupts` from global modules. */
@Module({
  imports: [HttpModule],
  controllers: [ApprovalsController, InterruptsController],
  providers: [AnswerDesk],
})
export class ApprovalsModule {}
