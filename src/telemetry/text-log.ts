/** Labels of pino's numeric levels, padded to one width. */
const LEVELS: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO ',
  40: 'WARN ',
  50: 'ERROR',
  60: 'FATAL',
};

/** Shown elsewhere in the line, or of no use to a reader at a terminal. */
const HANDLED = new Set([
  'level',
  'time',
  'msg',
  'context',
  'reqId',
  'err',
  'pid',
  'hostname',
  'req',
  'res',
  'responseTime',
]);

/** A line of the JSON log as one readable line; text that is not such a line is returned as it is. */
export function formatTextLine(line: string): string {
  const record = parseRecord(line);
  if (record === undefined) return line;
  const { level, time, msg, context, reqId, err } = record;
  const parts = [
    typeof time === 'number' ? new Date(time).toISOString() : '',
    typeof level === 'number' ? (LEVELS[level] ?? String(level)) : '',
    context === undefined ? '' : `[${plain(context)}]`,
    msg === undefined ? '' : plain(msg),
    ...Object.entries(record)
      .filter(([key]) => !HANDLED.has(key))
      .map(([key, value]) => `${key}=${plain(value)}`),
    reqId === undefined ? '' : `request=${plain(reqId)}`,
    describeError(err),
  ];
  return `${parts.filter((part) => part !== '').join(' ')}\n`;
}

function parseRecord(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function describeError(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message } = err as { stack?: unknown; message?: unknown };
  return plain(stack ?? message ?? err);
}

/** On one line whatever it holds: a line break in a value must not look like another record. */
function plain(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replace(/\r?\n\s*/g, ' | ').replace(/[\p{Cc}]/gu, ' ');
}
