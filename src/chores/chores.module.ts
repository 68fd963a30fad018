import { Global, Module } from '@nestjs/common';
import { TypeOrmChoreSchedule } from './adapters/typeorm-chore-schedule.js';
import { ChoreTurns } from './chore-turns.js';
import { Chores } from './chores.js';
import { ChoreSchedule } from './ports/chore-schedule.js';

/** Chores: what one of all instances does in each period. Needs the global database and metrics. */
@Global()
@Module({
  providers: [{ provide: ChoreSchedule, useClass: TypeOrmChoreSchedule }, ChoreTurns, Chores],
  exports: [Chores],
})
export class ChoresModule {}
