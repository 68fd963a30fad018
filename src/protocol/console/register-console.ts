import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import helmet from '@fastify/helmet';
import fastifyStatic from '@fastify/static';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { declareRoute } from '../../access/index.js';
import type { ConsoleSettings } from './console.settings.js';

const FOLDER = 'dist/console';

/** The page of the console in its folder. Builds write it last. */
const CONSOLE_PAGE = 'index.html';

/**
 * The folder of the console, which may still have to be built; undefined if there is nothing compiled at all. It belongs
 * to the package, which is above this file wherever that was compiled to.
 *
 * @param from the folder to start from
 */
function consoleFolder(from: string = __dirname): string | undefined {
  if (existsSync(join(from, 'package.json')) && existsSync(join(from, 'dist'))) return join(from, FOLDER);
  const parent = dirname(from);
  return parent === from ? undefined : consoleFolder(parent);
}

/** A file whose name changes with its content. */
const HASHED = /\/assets\/[^/]+-[\w-]{8}\.\w+(\.br|\.gz)?$/;
const PREFIX = '/console/';
/** npm start builds the console next to the server. */
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

/**
 * The pages of the console are in the fragment of its address: a browser that asks for one by a path is sent there,
 * below whatever prefix the console is.
 *
 * @param files the names in the folder of the console, which are no pages
 */
function sendToPage(request: FastifyRequest, reply: FastifyReply, files: ReadonlySet<string>): boolean {
  const [path = '', query] = request.url.slice(request.url.indexOf(PREFIX) + PREFIX.length).split('?', 2);
  const parts = path.split('/');
  if (path === '' || files.has(parts[0] ?? '') || !request.headers.accept?.includes('text/html')) return false;
  const up = '../'.repeat(parts.length - 1);
  void reply.redirect(`${up === '' ? './' : up}#/${path}${query === undefined ? '' : `?${query}`}`, 302);
  return true;
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
  const builtFiles = watchBuild(folder);
  server.addHook('onRequest', (request, reply, done) => {
    const files = builtFiles();
    if (files === undefined) void reply.code(503).headers(WHILE_BUILDING).send(NOT_BUILT);
    else if (request.routeOptions.url !== `${PREFIX}*` || !sendToPage(request, reply, files)) done();
  });
  if (folder === undefined) {
    server.get(PREFIX, (_request, reply) => void reply.code(503).send());
    return;
  }
  await server.register(fastifyStatic, {
    root: folder,
    prefix: PREFIX,
    decorateReply: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply, path) => {
      reply.header('cache-control', HASHED.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache');
      varyBy(reply, 'accept-encoding');
    },
  });
}

/** The names in the folder of the console, once it is built; the disk is not asked any more then. */
function watchBuild(folder: string | undefined): () => ReadonlySet<string> | undefined {
  let files: ReadonlySet<string> | undefined;
  return () => {
    if (files === undefined && folder !== undefined && existsSync(join(folder, CONSOLE_PAGE)))
      files = new Set(readdirSync(folder));
    return files;
  };
}
