import { type Logger, type LoggerOptions, pino } from 'pino';
import { type LoggingSettings } from './logging.settings.js';
import { formatTextLine } from './text-log.js';

/** Where finished lines go; standard output unless a test listens. */
export interface LogDestination {
  write(line: string): unknown;
}

/** Values of these names are replaced in every line. */
const SECRETS = [
  'authorization',
  'cookie',
  'apiKey',
  '*.authorization',
  '*.cookie',
  '*.apiKey',
  'req.headers.authorization',
  'req.headers.cookie',
  'req.headers["x-api-key"]',
  'req.headers["proxy-authorization"]',
  'res.headers["set-cookie"]',
];
/** Nest's classes that report every module and route at the start: of use to a developer only. */
const BOOT_CONTEXTS = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);
const INFO = 30;

/** The logger of the process, as `LOG_LEVEL` and `LOG_FORMAT` say. */
export function createLogger(settings: LoggingSettings, destination: LogDestination = process.stdout): Logger {
  const { level, format } = settings;
  const options = { level, hooks: { logMethod: demoteBootMessages }, redact: { paths: SECRETS, censor: '[secret]' } };
  if (format === 'json') return pino(options, destination);
  return pino(options, { write: (line) => void destination.write(formatTextLine(line)) });
}

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
