import { Module } from '@nestjs/common';
import { ToolsModule } from '../tools/index.js';
import { TypeOrmInterruptStore } from './adapters/typeorm-interrupt-store.js';
import { TypeOrmInterrupts } from './adapters/typeorm-interrupts.js';
import { AnswerValidator } from './answer-validator.js';
import { InterruptStore } from './ports/interrupt-store.js';
import { InterruptExpiry } from './interrupt-expiry.js';
import { Interrupts } from './ports/interrupts.js';

/** Interrupts: approvals and inputs that runs wait for. Needs the global database and clock. */
@Module({
  imports: [ToolsModule],
  providers: [
    { provide: InterruptStore, useClass: TypeOrmInterruptStore },
    { provide: Interrupts, useClass: TypeOrmInterrupts },
    AnswerValidator,
    InterruptExpiry,
  ],
  exports: [InterruptStore, Interrupts, AnswerValidator],
})
export class InterruptModule {}
