import { IncomingMessage, ServerResponse } from 'node:http';
import { type LoggerOptions } from 'pino';
import { type Options } from 'pino-http';
import { type AppConfig } from '../config/index.js';
import { requestIdOf } from './request-id.js';
import { formatTextLine } from './text-log.js';

/** Where finished lines go; standard output unless a test listens. */
export interface LogDestination {
  write(line: string): unknown;
}

/** Nothing below these names is ever logged. */
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
/** Nest tells of every module and route at the start: of use to a developer only. */
const BOOT_CHATTER = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);
const INFO = 30;
const PROBES = new Set(['/health', '/readiness', '/liveness']);

/** How requests and messages are logged: one line per finished request, with its id, status and time. */
export function pinoHttpOptions(config: AppConfig, destination: LogDestination = process.stdout): Options {
  return {
    level: config.log.level,
    autoLogging: config.log.level !== 'silent',
    stream: config.log.format === 'text' ? { write: (line) => destination.write(formatTextLine(line)) } : destination,
    hooks: { logMethod: demoteBootChatter },
    redact: { paths: SECRETS, censor: '[secret]' },
    genReqId: requestIdOf,
    // What is logged of a request and a response is chosen below, by `requestFields`.
    wrapSerializers: false,
    serializers: { req: chosenFields, res: chosenFields },
    quietReqLogger: true,
    quietResLogger: true,
    customAttributeKeys: { reqId: 'reqId' },
    customLogLevel: levelOf,
    customSuccessMessage: (request, response, elapsed) => summary(request, response, elapsed),
    customErrorMessage: (request, response) => summary(request, response, undefined),
    customSuccessObject: (request, response, values: object) => ({ ...values, ...requestFields(request, response) }),
    customErrorObject: (request, response, _error, values: object) => ({
      ...values,
      ...requestFields(request, response),
    }),
  };
}

const demoteBootChatter: NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']> = function (
  args,
  method,
  level,
) {
  const [first] = args as readonly unknown[];
  const context = typeof first === 'object' && first !== null && 'context' in first ? first.context : undefined;
  if (level === INFO && BOOT_CHATTER.has(String(context))) this.debug(...args);
  else method.apply(this, args);
};

/** pino-http binds the raw objects to every request's logger: writing them out costs more than the request. */
function chosenFields(value: unknown): unknown {
  return value instanceof IncomingMessage || value instanceof ServerResponse ? undefined : value;
}

function levelOf(request: IncomingMessage, response: ServerResponse, error?: Error): 'debug' | 'info' | 'error' {
  if (error !== undefined || response.statusCode >= 500) return 'error';
  return PROBES.has(pathOf(request)) ? 'debug' : 'info';
}

function summary(request: IncomingMessage, response: ServerResponse, elapsedMs: number | undefined): string {
  const ended = response.writableEnded ? '' : ' (left by the client)';
  const time = elapsedMs === undefined ? '' : ` ${elapsedMs}ms`;
  return `${request.method ?? ''} ${pathOf(request)} ${response.statusCode}${time}${ended}`;
}

function requestFields(request: IncomingMessage, response: ServerResponse): object {
  return { req: { method: request.method, path: pathOf(request) }, res: { statusCode: response.statusCode } };
}

/** Without the query, which may hold what should not be in a log. */
function pathOf(request: IncomingMessage & { originalUrl?: string }): string {
  return (request.originalUrl ?? request.url ?? '').split('?', 1)[0] ?? '';
}
