import { Module } from '@nestjs/common';
import { UserCleaners, UserExporters } from '../../data-protection/index.js';
import { ToolsModule } from '../tools/index.js';
import { SqlInterruptStore } from './adapters/interrupt-store.sql.js';
import { SqlInterrupts } from './adapters/interrupts.sql.js';
import { AnswerValidator } from './answer-validator.js';
import { INTERRUPT_EXPORT } from './interrupt-export.js';
import { InterruptCauses } from './ports/interrupt-causes.js';
import { InterruptStore } from './ports/interrupt-store.js';
import { InterruptExpiry } from './interrupt-expiry.js';
import { Interrupts } from './ports/interrupts.js';

/** Interrupts: approvals and inputs that runs wait for. Needs the global database and clock. */
@Module({
  imports: [ToolsModule],
  providers: [
    { provide: InterruptStore, useClass: SqlInterruptStore },
    { provide: Interrupts, useClass: SqlInterrupts },
    AnswerValidator,
    InterruptCauses,
    InterruptExpiry,
  ],
  exports: [InterruptCauses, InterruptStore, Interrupts, AnswerValidator],
})
export class InterruptModule {
  constructor(users: UserCleaners, exporters: UserExporters, store: InterruptStore) {
    exporters.register(INTERRUPT_EXPORT);
    users.register({
      cleanUser: async ({ user, pseudonym, write }) => {
        await write(async (tx) => ({ answersOfOthersKept: await store.renameDecider(tx, user, pseudonym) }));
      },
    });
  }
}
