import { Module } from '@nestjs/common';
import { ToolsModule } from '../tools/index.js';
import { TypeOrmInterruptStore } from './adapters/typeorm-interrupt-store.js';
import { TypeOrmInterrupts } from './adapters/typeorm-interrupts.js';
import { AnswerCheck } from './answer-check.js';
import { InterruptStore } from './ports/interrupt-store.js';
import { InterruptSweeper } from './interrupt-sweeper.js';
import { Interrupts } from './ports/interrupts.js';

/** Questions to people: approvals and inputs. Needs the global database and clock. */
@Module({
  imports: [ToolsModule],
  providers: [
    { provide: InterruptStore, useClass: TypeOrmInterruptStore },
    { provide: Interrupts, useClass: TypeOrmInterrupts },
    AnswerCheck,
    InterruptSweeper,
  ],
  exports: [InterruptStore, Interrupts, AnswerCheck],
})
export class InterruptModule {}
