import { existsSync } from 'node:fs';
import { join } from 'node:path';
import helmet from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { declareRoute } from '../../access/index.js';
import { CONSOLE_PAGE, consoleFolder } from './console-files.js';
import type { ConsoleSettings } from './console.settings.js';

/** A file whose name changes with its content. */
const HASHED = /\/assets\/[^/]+-[\w-]{8}\.\w+(\.br|\.gz)?$/;
/** npm start builds the console beside the server. */
const WHILE_BUILDING = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'retry-after': '3' };
const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><meta http-equiv="refresh" content="3">
<title>Parley</title><p>The console is being built. This page reloads until it is there.</p>
<p>If it stays, run <code>npm run build</code>.</p></html>
`;

/**
 * What the page may load: files, answers and images of its own origin, images that it made or that are inline, and
 * tokens of the providers that people sign in with.
 */
const contentSecurityPolicy = (tokensFrom: readonly string[]) => ({
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:', 'blob:'],
  mediaSrc: ["'self'", 'data:', 'blob:'],
  connectSrc: ["'self'", ...tokensFrom],
  formAction: ["'none'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
});

/**
 * Serves the console at `/console/`, and sends browsers there from `/`, unless `CONSOLE` is `off`. The files are public
 * and hold no data (contract access, section 10, rule 5). To be called once, before `app.init()`.
 *
 * @param tokensFrom the origins of the providers that people sign in to the console with
 * @param folder of the built console; undefined if it was not built, which the page then says
 */
export function registerConsole(
  app: NestFastifyApplication,
  { enabled }: Pick<ConsoleSettings, 'enabled'>,
  tokensFrom: readonly string[] = [],
  folder: string | undefined = consoleFolder(),
): void {
  if (!enabled) return;
  sendBrowsers(app.getHttpAdapter().getInstance());
  void app.register((server: FastifyInstance) => consoleFiles(server, tokensFrom, folder));
}

/** `/` describes the server as JSON; a browser that opens it wants a page instead. */
function sendBrowsers(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    if (request.routeOptions.url !== '/' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      done();
      return;
    }
    varyBy(reply, 'accept');
    if (request.headers.accept?.includes('text/html')) void reply.redirect('console/', 302);
    else done();
  });
}

/** Adds a request header to those on which the answer depends: the rules for other origins have named theirs. */
function varyBy(reply: FastifyReply, header: string): void {
  const named = reply.getHeader('vary');
  reply.header('vary', named === undefined ? header : `${String(named)}, ${header}`);
}

async function consoleFiles(
  server: FastifyInstance,
  tokensFrom: readonly string[],
  folder: string | undefined,
): Promise<void> {
  server.addHook('onRoute', (route) => declareRoute(route, 'public'));
  const policy = { useDefaults: false, directives: contentSecurityPolicy(tokensFrom) };
  // Helmet writes to the connection itself: the common policy would win.
  server.addHook('onRequest', (_request, reply, done) => {
    reply.removeHeader('content-security-policy');
    done();
  });
  await server.register(helmet, { contentSecurityPolicy: policy, hsts: false });
  server.get('/console', (_request, reply) => void reply.redirect('console/', 308));
  const isBuilt = buildWatch(folder);
  server.addHook('onRequest', (_request, reply, done) => {
    if (isBuilt()) done();
    else void reply.code(503).headers(WHILE_BUILDING).send(NOT_BUILT);
  });
  if (folder === undefined) {
    server.get('/console/', (_request, reply) => void reply.code(503).send());
    return;
  }
  await server.register(fastifyStatic, {
    root: folder,
    prefix: '/console/',
    decorateReply: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header('cache-control', HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache');
      varyBy(reply, 'accept-encoding');
    },
  });
}

/** Tells whether the console is built; the disk is not asked any more once it is. */
function buildWatch(folder: string | undefined): () => boolean {
  let built = false;
  return () => (built ||= folder !== undefined && existsSync(join(folder, CONSOLE_PAGE)));
}
