import type { JsonObject } from '../../../common/index.js';
import type { ToolDeclaration } from '../../../agent/tools/index.js';

/** A tool that takes nothing but these properties. */
export function tool(
  name: string,
  description: string,
  properties: JsonObject = {},
  required: string[] = [],
): ToolDeclaration {
  return { name, description, parameters: { type: 'object', properties, required, additionalProperties: false } };
}

export const WEATHER = tool('get_weather', 'Get the current weather of a city. Returns sample data.', {
  city: { type: 'string', minLength: 1, description: 'Name of the city' },
  location: { type: 'string', minLength: 1, description: 'The same as city' },
  unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
});
export const TIME = tool('get_current_time', 'Get the current date and time.', { timezone: { type: 'string' } });
export const BACKGROUND = tool(
  'change_background',
  'Change the background colour of the page',
  { color: { type: 'string' } },
  ['color'],
);
export const ECHO = tool(
  'echo',
  'Echoes back the input',
  { message: { type: 'string', description: 'Message to echo' } },
  ['message'],
);
export const SUM = tool('get-sum', 'Returns the sum of two numbers', { a: { type: 'number' }, b: { type: 'number' } }, [
  'a',
  'b',
]);
export const LIGHT = tool(
  'set_light',
  'Turn the light on or off',
  { on: { type: 'boolean' }, level: { type: 'integer', minimum: 0, maximum: 100 } },
  ['on'],
);
export const WRITE = tool(
  'calendar_write',
  'Add an event to the calendar.',
  {
    title: { type: 'string' },
    start: { type: 'string', description: 'Local start, for example 2026-01-31T10:00:00' },
    duration_minutes: { type: 'integer', minimum: 1 },
    event_timezone: { type: 'string', description: 'IANA time zone' },
  },
  ['title', 'start', 'event_timezone'],
);
export const LIST = tool('calendar_list', 'List the events of the calendar.');
export const ALL = [WEATHER, TIME, BACKGROUND, ECHO, SUM, LIGHT, WRITE, LIST];
