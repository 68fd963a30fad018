import { Module } from '@nestjs/common';
import type { SchemaExtension } from '../database/index.js';
import { UserCleaners, UserExporters } from '../data-protection/index.js';
import { CalendarEventEntity } from './calendar/calendar-event.entity.js';
import { CALENDAR_EXPORT } from './calendar/calendar-export.js';
import { CalendarListTool } from './calendar/calendar-list.tool.js';
import { CalendarStore } from './calendar/calendar-store.js';
import { CalendarWriteTool } from './calendar/calendar-write.tool.js';
import { CreateSampleCalendar1795824000000 } from './calendar/create-calendar.migration.js';
import { WeatherTool } from './weather.tool.js';

/** The tables that the samples add to the database. */
export const SAMPLES_SCHEMA: SchemaExtension = {
  entities: [CalendarEventEntity],
  migrations: [CreateSampleCalendar1795824000000],
};

/** The sample tools: weather and calendar. Needs the global database, with `SAMPLES_SCHEMA`, clock, ids and `UserCleaners`. */
@Module({
  // The model is offered the tools in this order.
  providers: [CalendarStore, CalendarWriteTool, CalendarListTool, WeatherTool],
  exports: [CalendarStore],
})
export class SamplesModule {
  constructor(users: UserCleaners, exporters: UserExporters, calendar: CalendarStore) {
    exporters.register(CALENDAR_EXPORT);
    users.register({
      cleanUser: async ({ user, write }) => {
        await write(async (tx) => ({ calendarEvents: await calendar.removeAll(tx, user) }));
      },
    });
  }
}
