import { Module } from '@nestjs/common';
import { TypeOrmCalendarStore } from './typeorm-calendar-store.js';
import { CalendarListTool } from './calendar-list.tool.js';
import { CalendarStore } from './calendar-store.js';
import { CalendarWriteTool } from './calendar-write.tool.js';

/** The sample calendar and its tools. Needs the global database, clock and ids. */
@Module({
  providers: [{ provide: CalendarStore, useClass: TypeOrmCalendarStore }, CalendarWriteTool, CalendarListTool],
  exports: [CalendarStore],
})
export class CalendarModule {}
