import { type INestApplication } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { AttachmentSettings } from './attachment/index.js';
import { type Configuration } from './config/index.js';
import { VERSION } from './health/index.js';
import { registerUploads } from './protocol/attachments/upload-body.js';
import { fastifyServerOptions, HttpSettings, registerRequestLimits } from './protocol/http/index.js';
import { REQUEST_ID_HEADER, requestIdOf, ServerLog } from './telemetry/index.js';

/** How long a browser may remember the answer to a preflight. */
const PREFLIGHT_SECONDS = 600;
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-Run-Id',
  'Location',
  'Retry-After',
  'Content-Location',
  'Idempotency-Replayed',
  'ETag',
];

/** Fastify as Parley wants it, for `NestFactory.create` and for tests. */
export function createFastifyAdapter(configuration: Configuration): FastifyAdapter {
  return new FastifyAdapter({
    ...fastifyServerOptions(configuration.get(HttpSettings)),
    trustProxy: false,
    // Only `requestIdOf` decides which ids of clients are taken over.
    requestIdHeader: false,
    genReqId: requestIdOf,
  });
}

/**
 * Everything between Nest and the network, the same in production and in tests. Call it before `listen`
 * or `init`. (The error filter is a provider of `HttpModule`.)
 */
export function configureApp(app: NestFastifyApplication): void {
  const http = app.get(HttpSettings);
  const log = app.get(ServerLog);
  app.useLogger(log.messages);
  log.observe(app.getHttpAdapter().getInstance());
  returnRequestIds(app);
  enableCors(app, http.corsOrigins);
  registerRequestLimits(app, http);
  registerUploads(app, app.get(AttachmentSettings));
  // Built when it is first asked for: the start need not wait for it.
  SwaggerModule.setup('docs', app, () => createOpenApiDocument(app), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Parley API',
  });
}

/** The OpenAPI document of all controllers. */
export function createOpenApiDocument(app: INestApplication): OpenAPIObject {
  const description = 'One agent, every protocol, one durable run.';
  const base = new DocumentBuilder()
    .setTitle('Parley')
    .setDescription(description)
    .setVersion(VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .build();
  return SwaggerModule.createDocument(app, base);
}

function returnRequestIds(app: NestFastifyApplication): void {
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (request, reply, done) => {
      reply.header(REQUEST_ID_HEADER, request.id);
      done();
    });
}

/** Allows any origin on loopback, never with credentials; reflects requested headers (contract agent-api, section a.1). */
function enableCors(app: NestFastifyApplication, origins: readonly string[]): void {
  if (origins.length === 0) return;
  app.enableCors({
    origin: origins.includes('*') ? '*' : [...origins],
    credentials: false,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: false,
  });
}
