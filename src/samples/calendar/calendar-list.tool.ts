import { Injectable } from '@nestjs/common';
import { Clock, resolveTimeZone } from '../../common/index.js';
import { AgentTool, ToolAnswer, ToolError, type ToolContext } from '../../agent/tools/index.js';
import { CalendarStore } from './calendar-store.js';
import { eventText, listCard } from './event-text.js';
import { dayOf, startOfDay } from './event-time.js';

interface CalendarListArgs {
  readonly day?: string;
  readonly timezone?: string;
}

/** Most events in one answer. */
const MOST_EVENTS = 50;

/** `calendar_list`: lists the events of the user's calendar, of one day or from today on. */
@Injectable()
export class CalendarListTool {
  constructor(
    private readonly calendar: CalendarStore,
    private readonly clock: Clock,
  ) {}

  @AgentTool({
    name: 'calendar_list',
    description: "List the events of the user's calendar from today on, or of one day.",
    effects: 'none',
    parameters: {
      type: 'object',
      properties: {
        day: { type: 'string', format: 'date', description: 'Only this day, for example 2026-01-31' },
        timezone: {
          type: 'string',
          maxLength: 64,
          description: "IANA time zone in which the day begins. Without it the user's own.",
        },
      },
    },
  })
  async calendarList({ day, timezone }: CalendarListArgs, context: ToolContext): Promise<unknown> {
    const zone = resolveTimeZone([timezone, context.timeZone]);
    const range = day === undefined ? { from: startOfDay(this.clock.now(), zone), until: undefined } : dayOf(day, zone);
    if (!range) throw new ToolError('"day" must be a date such as 2026-01-31.');
    const found = await this.calendar.list(context.principal, { ...range, limit: MOST_EVENTS + 1 });
    const shown = found.slice(0, MOST_EVENTS);
    const more = found.length > MOST_EVENTS ? { more: true } : {};
    return new ToolAnswer({ timezone: zone, events: shown.map(eventText), ...more }, listCard(shown, context.locale));
  }
}
