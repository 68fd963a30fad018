/** A length of time for people: `850 ms`, `3.2 s`, `4 min 10 s`, `2 h 5 min`, `3 d`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 3_600_000) return inUnits(Math.round(ms / 1000), 60, 'min', 's');
  if (ms < 86_400_000) return inUnits(Math.round(ms / 60_000), 60, 'h', 'min');
  return inUnits(Math.round(ms / 3_600_000), 24, 'd', 'h');
}

/** A number of small units as large ones and the rest; a rest of none is left out. */
function inUnits(count: number, ofLarge: number, large: string, small: string): string {
  const rest = count % ofLarge;
  const whole = `${Math.floor(count / ofLarge)} ${large}`;
  return rest === 0 ? whole : `${whole} ${rest} ${small}`;
}

const DATE = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** A time in the zone and language of the browser; a dash for none. */
export function time(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? String(value) : DATE.format(date);
}

const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });

/** The time of day of a moment. */
export function clock(at: number): string {
  return CLOCK.format(at);
}

const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto', style: 'short' });
/** The units of a length of time, and how many milliseconds they begin with. */
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const;

/** How long ago something was: `5 min ago`. @param now in milliseconds since the epoch */
export function ago(value: string, now: number): string {
  const ms = now - Date.parse(value);
  const [unit, length] = UNITS.find(([, least]) => ms >= least) ?? [];
  if (unit === undefined || length === undefined) return 'just now';
  return RELATIVE.format(-Math.floor(ms / length), unit);
}

const SHORT = new Intl.DateTimeFormat(undefined, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});

/** A time without its year, for lists. */
export function shortTime(value: string): string {
  return SHORT.format(new Date(value));
}

/** A whole number with separators of the browser's language; a dash for none. */
export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : value.toLocaleString();
}

const BYTE_UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** A number of bytes for people: `812 bytes`, `4.7 MB`. */
export function bytes(size: number): string {
  const power = size < 1000 ? 0 : Math.min(Math.floor(Math.log10(size) / 3), BYTE_UNITS.length - 1);
  return `${power === 0 ? size : (size / 1000 ** power).toFixed(1)} ${BYTE_UNITS[power] ?? ''}`;
}

/** JSON with indentation. Text that is not JSON stays as it is. */
export function pretty(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2) ?? '';
  // JavaScript would change long integers: such a text stays as it is.
  if (/\d{16}/.test(value)) return value;
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}

/** The JSON object in a text; undefined if there is none. */
export function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A sentence of the server behind which another one can follow. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
