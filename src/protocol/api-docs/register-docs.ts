import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import helmet from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { declareRoute } from '../../access/index.js';
import { STREAMS_CSS, STREAMS_SCRIPT } from './streams-script.js';
import type { DocsSettings } from './docs.settings.js';
import { ALIAS_TAG } from './document-tags.js';

/**
 * The page of the API reference: Swagger UI, without inline scripts and without anything of other origins. It holds
 * nothing of the API. Its script reads the document with the credential that the user enters, which is kept in the
 * page's memory only (contract access, section 10, rule 5).
 */
const DOCS_HTML = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>Parley API</title>
  <link rel="icon" type="image/png" href="./docs/favicon-32x32.png">
  <link rel="stylesheet" href="./docs/swagger-ui.css">
  <link rel="stylesheet" href="./docs/page.css">
</head>
<body>
  <form id="credential" hidden>
    <h1>Parley API</h1>
    <p id="reason" role="alert"></p>
    <label for="token">API key or token</label>
    <input id="token" type="password" autocomplete="off" spellcheck="false" required>
    <button type="submit">Show the API</button>
  </form>
  <div id="swagger-ui"></div>
  <script src="./docs/swagger-ui-bundle.js"></script>
  <script src="./docs/streams.js"></script>
  <script src="./docs/page.js"></script>
</body>
</html>
`;

/** The style of the form; Swagger UI brings its own. */
const DOCS_CSS = `body { margin: 0; }
#credential { font: 16px/1.5 sans-serif; max-width: 32rem; margin: 10vh auto; padding: 0 1rem; }
#credential label { display: block; }
#credential input { box-sizing: border-box; width: 100%; margin: .25rem 0 1rem; padding: .5rem; font: inherit; }
#credential button { padding: .5rem 1rem; font: inherit; }
`;

/** The script of the page. \`preauthorizeApiKey\` is what pressing Authorize does. */
const DOCS_SCRIPT = `'use strict';
(() => {
  const form = document.getElementById('credential');
  const reason = document.getElementById('reason');
  const input = document.getElementById('token');

  async function load(token) {
    const headers = token === undefined ? {} : { authorization: 'Bearer ' + token };
    const answer = await fetch('./openapi.json', { headers, cache: 'no-store' });
    if (answer.ok) show(await answer.json(), token);
    else ask(await reasonOf(answer, token));
  }

  async function reasonOf(answer, token) {
    if (answer.status === 401 && token === undefined) return 'Reading the description of the API needs a credential.';
    const { message } = await answer.json().catch(() => ({}));
    return message || 'The server answered with status ' + answer.status + '.';
  }

  function ask(text) {
    reason.textContent = text;
    form.hidden = false;
    input.focus();
  }

  function show(spec, token) {
    form.hidden = true;
    input.value = '';
    // Where this page is, the API is: also behind a proxy that adds a path.
    spec.servers = [{ url: new URL('.', location.href).pathname.replace(/\\/$/, '') || '/' }];
    const ui = SwaggerUIBundle({
      spec,
      dom_id: '#swagger-ui',
      deepLinking: true,
      validatorUrl: null,
      persistAuthorization: false,
      plugins: [ParleyStreams],
      onComplete: () => {
        // The operations that only repeat others are folded.
        ui.layoutActions.show(['operations-tag', ${JSON.stringify(ALIAS_TAG)}], false);
        if (token !== undefined) ui.preauthorizeApiKey('bearer', token);
      },
    });
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    load(input.value.trim()).catch((error) => ask(String(error)));
  });
  load().catch((error) => ask(String(error)));
})();
`;

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
