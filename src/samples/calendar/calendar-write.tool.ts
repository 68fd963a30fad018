import { Injectable } from '@nestjs/common';
import { Clock, IdFactory, resolveTimeZone, timeZoneName } from '../../common/index.js';
import { AgentTool, ToolAnswer, ToolError, type ToolContext } from '../../agent/tools/index.js';
import { CalendarStore } from './calendar-store.js';
import { eventText, writtenCard } from './event-text.js';
import { momentOf } from './event-time.js';

/** The arguments, as the JSON Schema below describes them. */
interface CalendarWriteArgs {
  readonly title: string;
  readonly start: string;
  readonly duration_minutes?: number;
  readonly event_timezone: string;
  readonly location?: string;
  readonly notes?: string;
}

const MINUTE_MS = 60_000;
/** The duration of an event for which the model gives none. */
const DEFAULT_MINUTES = 60;

/** `calendar_write`: writes an event to the user's calendar. */
@Injectable()
export class CalendarWriteTool {
  constructor(
    private readonly calendar: CalendarStore,
    private readonly clock: Clock,
    private readonly ids: IdFactory,
  ) {}

  @AgentTool({
    name: 'calendar_write',
    description: "Add an event to the user's calendar. Always say the time zone of the event.",
    effects: 'unsafe',
    // The first valid zone of the call, the device, the settings; else UTC (docs/tools.md#time-zones).
    completeArguments: (args, { timeZone }) => ({
      ...args,
      event_timezone: resolveTimeZone([args['event_timezone'], timeZone]),
    }),
    parameters: {
      type: 'object',
      properties: {
        title: { type: 'string', minLength: 1, maxLength: 200, description: 'What the event is' },
        start: {
          type: 'string',
          maxLength: 40,
          description: 'Date and time of the start in the zone of the event, for example 2026-01-31T10:00:00',
        },
        duration_minutes: { type: 'integer', minimum: 1, maximum: 44_640, description: 'Default 60' },
        event_timezone: {
          type: 'string',
          maxLength: 64,
          description: 'IANA time zone of the event, for example "Asia/Shanghai"',
        },
        location: { type: 'string', maxLength: 500, description: 'Where it is' },
        notes: { type: 'string', maxLength: 4000 },
      },
      required: ['title', 'start', 'event_timezone'],
    },
  })
  async calendarWrite(args: CalendarWriteArgs, context: ToolContext): Promise<unknown> {
    const zone = timeZoneName(args.event_timezone ?? '');
    if (zone === undefined) throw new ToolError('Name the time zone of the event in "event_timezone".');
    const startsAt = momentOf(args.start, zone);
    if (startsAt === undefined) throw new ToolError('"start" must be a date and a time such as 2026-01-31T10:00:00.');
    const planned = {
      id: this.ids.next('event_'),
      title: args.title,
      startsAt,
      endsAt: startsAt + (args.duration_minutes ?? DEFAULT_MINUTES) * MINUTE_MS,
      eventTimezone: zone,
      location: args.location ?? null,
      notes: args.notes ?? null,
    };
    const { principal, idempotencyKey } = context;
    const { event, created } = await this.calendar.add(principal, idempotencyKey, planned, this.clock.now());
    const answer = { status: created ? 'created' : 'already_there', ...eventText(event) };
    return new ToolAnswer(answer, writtenCard(event, context.locale));
  }
}
