import { type Logger, type LoggerOptions, pino } from 'pino';
import { isoTime, maskCredentials } from '../common/index.js';
import type { LoggingSettings } from './logging.settings.js';

/** The destination of log lines: standard output, except in tests. */
interface LogDestination {
  /** Writes one line with its line break. */
  write(line: string): unknown;
}

/** Values of these names are replaced in every line. */
const SECRET_NAMES = [
  ...['authorization', 'cookie', 'apiKey', 'password', 'secret', 'clientSecret', 'accessToken', 'refreshToken'],
  ...['x-api-key', 'x-proxy-secret', 'proxy-authorization', 'sec-websocket-protocol', 'set-cookie'],
];
/** At the top of a record, one step below, and among the headers of a request or a response. */
const SECRETS = ['', '*', 'req.headers', 'res.headers'].flatMap((place) =>
  SECRET_NAMES.map((name) => (place === '' && !name.includes('-') ? name : `${place}["${name}"]`)),
);
/** Nest's classes that log every module and route at start-up. Their messages are demoted to debug level. */
const BOOT_CONTEXTS = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);
/** pino's number of the level `info`. */
const INFO = 30;

/** Creates the logger of the process according to `LOG_LEVEL` and `LOG_FORMAT`. */
export function createLogger(settings: LoggingSettings, destination: LogDestination = process.stdout): Logger {
  const { level, format } = settings;
  const options = { level, hooks: { logMethod: demoteBootMessages }, redact: { paths: SECRETS, censor: '[secret]' } };
  const formatted = format === 'json' ? (line: string): string => line : formatTextLine;
  // The last step, for every field, message and stack.
  return pino(options, { write: (line) => void destination.write(maskCredentials(formatted(line))) });
}

/** A hook that logs Nest's start-up messages at debug level. */
const demoteBootMessages: NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']> = function (
  args,
  method,
  level,
) {
  const [first] = args as readonly unknown[];
  const context = typeof first === 'object' && first !== null && 'context' in first ? first.context : undefined;
  if (level === INFO && BOOT_CONTEXTS.has(String(context))) this.debug(...args);
  else method.apply(this, args);
};

/** Labels of pino's numeric levels, padded to one width. */
const LEVELS: Readonly<Record<number, string>> = {
  10: 'TRACE',
  20: 'DEBUG',
  30: 'INFO ',
  40: 'WARN ',
  50: 'ERROR',
  60: 'FATAL',
};

/** Fields that are shown elsewhere in the line or not at all. */
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

/** Formats a line of the JSON log as readable text. Text that is not such a line is returned unchanged. */
export function formatTextLine(line: string): string {
  const record = parseRecord(line);
  if (record === undefined) return line;
  const { level, time, msg, context, reqId, err } = record;
  const parts = [
    typeof time === 'number' ? isoTime(time) : '',
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

/** Undefined for text that is not a JSON object, such as output of a library. */
function parseRecord(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** The stack, otherwise the message; '' without an error. */
function describeError(err: unknown): string {
  if (typeof err !== 'object' || err === null) return '';
  const { stack, message } = err as { stack?: unknown; message?: unknown };
  return plain(stack ?? message ?? err);
}

/** A value as text on one line, so that a line break in it does not look like a new record. */
function plain(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.replace(/\r?\n\s*/g, ' | ').replace(/[\p{Cc}]/gu, ' ');
}
