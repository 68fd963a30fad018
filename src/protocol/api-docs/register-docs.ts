import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import helmet from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { declareRoute } from '../../access/index.js';
import { DOCS_CSS, DOCS_HTML, DOCS_SCRIPT } from './docs-page.js';
import { STREAMS_CSS, STREAMS_SCRIPT } from './streams-script.js';
import type { DocsSettings } from './docs.settings.js';

/** The files of Swagger UI that the page needs. */
const SWAGGER_FILES: ReadonlySet<string> = new Set(['/swagger-ui.css', '/swagger-ui-bundle.js', '/favicon-32x32.png']);

/** What the page may load: only its own origin's files. Swagger UI shows images of answers as blobs. */
const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:', 'blob:'],
  connectSrc: ["'self'"],
  formAction: ["'none'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};

/**
 * Serves `/openapi.json`, and at `/docs` the page that shows it, unless `DOCS` is `off`. The page is public and
 * holds nothing of the API (contract access, section 10, rule 5). To be called once, before `app.init()`.
 *
 * @param document makes the document; called for the first request, so that the start need not wait
 */
export function registerDocs(app: NestFastifyApplication, settings: DocsSettings, document: () => OpenAPIObject): void {
  const { need } = settings;
  if (!need) return;
  let json: string | undefined;
  const server = app.getHttpAdapter().getInstance();
  server.get('/openapi.json', { config: { access: need } }, (_request, reply) => {
    void reply.type('application/json; charset=utf-8').send((json ??= JSON.stringify(document())));
  });
  void app.register(docsPage);
}

async function docsPage(server: FastifyInstance): Promise<void> {
  server.addHook('onRoute', (route) => declareRoute(route, 'public'));
  const contentSecurityPolicy = { useDefaults: false, directives: CONTENT_SECURITY_POLICY };
  // Helmet writes to the connection itself: the common policy would win.
  server.addHook('onRequest', (_request, reply, done) => {
    reply.removeHeader('content-security-policy');
    done();
  });
  await server.register(helmet, { contentSecurityPolicy, hsts: false });
  server.get('/docs', (_request, reply) => void reply.type('text/html; charset=utf-8').send(DOCS_HTML));
  server.get('/docs/', (_request, reply) => void reply.redirect('../docs', 308));
  server.get(
    '/docs/page.css',
    (_request, reply) => void reply.type('text/css; charset=utf-8').send(DOCS_CSS + STREAMS_CSS),
  );
  server.get('/docs/page.js', (_request, reply) => void reply.type('text/javascript; charset=utf-8').send(DOCS_SCRIPT));
  const streams = STREAMS_SCRIPT;
  server.get('/docs/streams.js', (_request, reply) => void reply.type('text/javascript; charset=utf-8').send(streams));
  const root = dirname(createRequire(require.resolve('@nestjs/swagger')).resolve('swagger-ui-dist/package.json'));
  await server.register(fastifyStatic, {
    root,
    prefix: '/docs/',
    decorateReply: false,
    index: false,
    allowedPath: (path) => SWAGGER_FILES.has(path),
  });
}
