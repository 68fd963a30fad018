import { isUtf8 } from 'node:buffer';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { RouteSetting } from '../../../access/index.js';
import { AppError } from '../../../common/index.js';
import { HttpSettings } from '../http.settings.js';
import type { JsonLimits } from './json-limits.js';
import { parseJsonText } from './json-text.js';

type Limits = Pick<HttpSettings, 'bodyLimitBytes' | 'jsonDepthLimit' | 'jsonValuesLimit'>;
type Done = (error: Error | null, body?: unknown) => void;

/** A body that is too long is read up to this multiple of the limit, so that its sender sees the answer. */
const DRAIN_FACTOR = 8;

/** What `BodyLimit` and `NoBody` leave in the configuration of a route. */
interface LimitedRoute {
  readonly bodyLimitBytes?: number;
  readonly hasNoBody?: boolean;
  readonly jsonTypes?: readonly string[];
}

/** From so many bytes on, parsing takes milliseconds. */
const LARGE_BODY = 128 * 1024;

const JSON_TYPE = 'application/json';
/** Media types of JSON with a meaning of their own: read by routes that say so. */
const OTHER_JSON = /^application\/[a-z0-9.-]+\+json\b/i;
/** Headers that a request may have. */
const MAX_HEADERS = 100;

/**
 * Lets a route read JSON under another media type too, such as `application/a2a+json`: one that ends with `+json`. To be
 * put on a handler.
 */
export function AlsoReads(...types: readonly string[]): MethodDecorator {
  return RouteSetting({ jsonTypes: types } satisfies LimitedRoute);
}

/** Gives a route a smaller limit of its body, in bytes as they are received, than the configured one. */
export function BodyLimit(bytes: number): MethodDecorator {
  return RouteSetting({ bodyLimitBytes: bytes } satisfies LimitedRoute);
}

/**
 * Marks a route that reads no body: a request that declares JSON and sends nothing, as some SDKs do with
 * every request, is taken. DELETE routes take it without the mark.
 */
export function NoBody(): MethodDecorator {
  return RouteSetting({ hasNoBody: true } satisfies LimitedRoute);
}

/**
 * Registers what every request with a body must keep: JSON only, UTF-8 only, no longer, no deeper and with no more
 * values than configured, no forbidden keys. To be called once, before `app.init()`.
 */
export function registerRequestLimits(app: NestFastifyApplication, settings: Limits): void {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.removeContentTypeParser('text/plain');
  fastify.addHook('onRoute', (route) => {
    const { bodyLimitBytes: own } = (route.config ?? {}) as LimitedRoute;
    if (own !== undefined) route.bodyLimit = Math.min(own, settings.bodyLimitBytes);
  });
  // After the hooks of plugins and of access, which are there once the plugins are loaded.
  fastify.after(() => {
    fastify.addHook('onRequest', (request, _reply, done) => done(checkHeaders(request)));
  });
  fastify.addHook('preParsing', (request, _reply, payload, done) => {
    void rejectTooLong(request, request.routeOptions.bodyLimit ?? settings.bodyLimitBytes).then((error) =>
      done(error, payload),
    );
  });
  const parse = (request: FastifyRequest, body: Buffer, done: Done): void => {
    if (body.length === 0 && readsNoBody(request)) {
      done(null);
      return;
    }
    let value: unknown;
    try {
      value = parseBody(body, { maxDepth: settings.jsonDepthLimit, maxValues: settings.jsonValuesLimit });
    } catch (error) {
      done(error as Error);
      return;
    }
    if (body.length < LARGE_BODY) done(null, value);
    // Others have their turn between the parsing of a large body and its use.
    else setImmediate(done, null, value);
  };
  const options = { bodyLimit: settings.bodyLimitBytes };
  app.useBodyParser(JSON_TYPE, options, parse);
  app.useBodyParser(OTHER_JSON, options, (request: FastifyRequest, body: Buffer, done: Done) => {
    if (readsType(request)) parse(request, body, done);
    else done(new AppError('UNSUPPORTED_MEDIA_TYPE'));
  });
}

/** Whether the route of a request reads bodies of its media type, which is another one than that of JSON. */
function readsType({ headers, routeOptions }: FastifyRequest): boolean {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const { jsonTypes = [] } = routeOptions.config as LimitedRoute;
  return jsonTypes.includes(type);
}

function readsNoBody({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'DELETE' || (routeOptions.config as LimitedRoute).hasNoBody === true;
}

function checkHeaders(request: FastifyRequest): AppError | undefined {
  // Node drops what is too many, and with it perhaps the second of two headers that contradict each other.
  if (request.raw.rawHeaders.length > MAX_HEADERS * 2) {
    const status = 431;
    return new AppError('PAYLOAD_TOO_LARGE', `The request has more than ${MAX_HEADERS} headers`, { status });
  }
  if (request.is404) return undefined;
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    return new AppError('UNSUPPORTED_MEDIA_TYPE', 'The request body must not be compressed');
  }
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(request.headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    return new AppError('UNSUPPORTED_MEDIA_TYPE', 'The charset of the request body must be utf-8');
  }
  return undefined;
}

async function rejectTooLong(request: FastifyRequest, limit: number): Promise<AppError | null> {
  const length = Number(request.headers['content-length'] ?? 0);
  const isJson = request.headers['content-type']?.toLowerCase().startsWith(JSON_TYPE) ?? false;
  if (!isJson || !(length > limit)) return null;
  if (length <= limit * DRAIN_FACTOR) await drain(request);
  return new AppError('PAYLOAD_TOO_LARGE', `The request body exceeds the size limit of ${limit} bytes`);
}

function drain(request: FastifyRequest): Promise<void> {
  return new Promise((resolve) => {
    request.raw
      .once('end', resolve)
      .once('error', () => resolve())
      .once('close', resolve)
      .resume();
  });
}

function parseBody(body: Buffer, limits: JsonLimits): unknown {
  if (body.length === 0) throw new AppError('INVALID_JSON', 'The request body is empty');
  if (!isUtf8(body)) throw new AppError('INVALID_JSON', 'The request body is not valid UTF-8');
  return parseJsonText(body, limits);
}
