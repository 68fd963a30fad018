import { type INestApplication } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import {
  AccessSettings,
  Authenticator,
  BrowserPolicy,
  BrowserSettings,
  collectRoutes,
  declareRoute,
  OidcSettings,
  registerAccess,
  RequestRates,
  routesOf,
} from './access/index.js';
import { AttachmentSettings, PublicAddress } from './agent/attachment/index.js';
import { VERSION } from './common/index.js';
import { type Configuration, ServerSettings } from './config/index.js';
import { API_KEY_SCHEME, BEARER_SCHEME, documentAccess } from './protocol/api-docs/document-access.js';
import { completeOperations } from './protocol/api-docs/document-operations.js';
import { DocsSettings } from './protocol/api-docs/docs.settings.js';
import { orderTags } from './protocol/api-docs/document-tags.js';
import { registerDocs } from './protocol/api-docs/register-docs.js';
import { registerUploads } from './protocol/attachments/upload-body.js';
import { FleetSettings } from './run/index.js';
import { ConsoleSettings } from './protocol/console/console.settings.js';
import { registerConsole } from './protocol/console/register-console.js';
import {
  connectionLimits,
  ConnectionDrain,
  ConnectionQueue,
  fastifyServerOptions,
  HttpSettings,
  ignoreOtherUpgrades,
  limitConnections,
  limitPipelining,
  readTargets,
  ReceivedBytes,
  registerBodyRoom,
  registerRequestLimits,
  registerSecurityHeaders,
  registerStagedClose,
} from './protocol/http/index.js';
import { HttpMetrics, REQUEST_ID_HEADER, requestIdOf, RequestTraces, ServerLog } from './telemetry/index.js';
import { ToolPolicy } from './agent/tools/index.js';

/** How long a browser may remember the answer to a preflight. */
const PREFLIGHT_SECONDS = 600;
const EXPOSED_HEADERS = [
  'X-Request-Id',
  'X-Run-Id',
  'X-Session-Id',
  'x-vercel-ai-ui-message-stream',
  'Location',
  'Retry-After',
  'retry-after-ms',
  'RateLimit',
  'RateLimit-Policy',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'WWW-Authenticate',
  'Content-Location',
  'Idempotency-Replayed',
  'ETag',
  'A2A-Version',
  'A2A-Extensions',
  'Mcp-Session-Id',
  'MCP-Protocol-Version',
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
  const log = app.get(ServerLog);
  const drain = app.get(ConnectionDrain, { strict: false });
  ignoreOtherUpgrades(app.getHttpServer());
  ConnectionQueue.before(app.getHttpServer(), () => drain.isOver);
  limitPipelining(app.getHttpServer());
  limitConnections(app.getHttpServer(), connectionLimits(app.get(AccessSettings).trustedProxies !== undefined));
  drain.observe(app.getHttpServer());
  readTargets(app.getHttpServer());
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('preClose', () => drain.end());
  app.useLogger(log.messages);
  const [metrics, traces] = [app.get(HttpMetrics), app.get(RequestTraces)];
  log.observe(app.getHttpAdapter().getInstance(), {
    began: (request) => traces.began(request),
    ended: (request, response, milliseconds) => {
      metrics.ended(request, response, milliseconds);
      traces.ended(request, response);
    },
  });
  configureRoutes(app);
}

/** The part of `configureApp` that concerns requests alone: nothing of the process, its log or its connections. */
export function configureRoutes(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  registerStagedClose(server);
  returnRequestIds(app);
  const bases = app.get(ServerSettings).publicBases;
  registerSecurityHeaders(server, { isHttps: bases.length > 0 && bases.every((base) => base.startsWith('https:')) });
  collectRoutes(server);
  enableCors(app);
  // The hook of CORS is there once its plugin is loaded, and comes first: a page may read why it is refused.
  server.after(() => {
    registerAccess(server, {
      browsers: app.get(BrowserPolicy),
      authenticator: app.get(Authenticator),
      rates: app.get(RequestRates),
    });
  });
  registerRequestLimits(app, app.get(HttpSettings));
  registerBodyRoom(server, app.get(ReceivedBytes, { strict: false }));
  // A worker has no routes for clients.
  if (app.get(FleetSettings).role === 'worker') return;
  registerUploads(app, app.get(AttachmentSettings));
  registerDocs(app, app.get(DocsSettings), () => createOpenApiDocument(app));
  registerConsole(app, app.get(ConsoleSettings), app.get(OidcSettings).consoleOrigins);
}

/** Whether the server serves the console. */
export function hasConsole(configuration: Configuration): boolean {
  return configuration.get(ConsoleSettings).enabled && configuration.get(FleetSettings).role !== 'worker';
}

/** Sentences for the log about rules of the tool policy that need authentication. */
export function policyWarnings(app: INestApplication): readonly string[] {
  return app.get(ToolPolicy, { strict: false }).warnings(app.get(AccessSettings).isAuthenticated);
}

/** The OpenAPI document of all controllers. */
export function createOpenApiDocument(app: INestApplication): OpenAPIObject {
  const description = 'One agent, every protocol, one durable run.';
  const base = new DocumentBuilder();
  for (const address of app.get(PublicAddress, { strict: false }).documented) base.addServer(address);
  const config = base
    .setTitle('Parley')
    .setDescription(description)
    .setVersion(VERSION)
    .setLicense('Apache-2.0', 'https://www.apache.org/licenses/LICENSE-2.0')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key or a token.' }, BEARER_SCHEME)
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'An API key.' }, API_KEY_SCHEME)
    .build();
  const routes = routesOf(app.getHttpAdapter().getInstance() as FastifyInstance);
  return completeOperations(orderTags(documentAccess(SwaggerModule.createDocument(app, config), routes)));
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

/** Lets pages of the configured origins read answers, never with credentials; reflects requested headers (contract agent-api, section a.1). */
function enableCors(app: NestFastifyApplication): void {
  const { corsOrigins } = app.get(BrowserSettings);
  const browsers = app.get(BrowserPolicy);
  if (corsOrigins.length === 0) return;
  const server = app.getHttpAdapter().getInstance();
  // The route of preflights: they carry no credential.
  server.addHook('onRoute', (route) => {
    if (route.method === 'OPTIONS' && route.url === '*') declareRoute(route, 'public');
  });
  app.enableCors({
    origin: corsOrigins.includes('*')
      ? '*'
      : (origin, done) => done(null, origin !== undefined && browsers.isAllowed(origin)),
    credentials: false,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
    strictPreflight: false,
  });
}
