import type { Json, JsonObject } from '../../common/index.js';
import { isObject } from './schema-view.js';

/** What the calendar's tools answered, in a sentence; undefined for the answers of other tools. */
export function calendarSentence(name: string, value: JsonObject): string | undefined {
  if (name === 'calendar_write' && 'title' in value) {
    const lead = value['status'] === 'already_there' ? 'Already in your calendar' : 'Scheduled';
    return `${lead}: ${eventLine(value)}.`;
  }
  if (name !== 'calendar_list' || !Array.isArray(value['events'])) return undefined;
  const events = value['events'].filter(isObject);
  if (events.length === 0) return 'Your calendar has no events there.';
  const count = events.length === 1 ? 'one event' : `${events.length} events`;
  const more = value['more'] === true ? ' There are more.' : '';
  return `Your calendar has ${count}:\n${events.map((event) => `- ${eventLine(event)}`).join('\n')}${more}`;
}

/** `Meeting with Ana, Tuesday 2026-03-17, 15:00 to 16:00 (Asia/Shanghai)` */
function eventLine(event: JsonObject): string {
  const [date = '', from = ''] = clock(event['start']);
  const [lastDate = '', until = ''] = clock(event['end']);
  const end = lastDate === date ? until : `${lastDate} ${until}`;
  return `${text(event['title'])}, ${text(event['weekday'])} ${date}, ${from} to ${end} (${text(event['event_timezone'])})`;
}

function clock(value: Json | undefined): string[] {
  return text(value).slice(0, 16).split('T');
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
