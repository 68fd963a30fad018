import { Controller, Get, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { needOfRoute, NeedsCaller, routesOf } from '../../src/access/index.js';
import { NAMED_USERS } from '../support/identities.js';
import { requestPath } from '../support/route-paths.js';
import { startServer, type TestServer } from '../support/server.js';

/** A user without any scope. */
const POWERLESS = 'alice@acme none';

/** The routes for every caller, whatever its scopes. */
const CALLER_ROUTES: ReadonlySet<string> = new Set(['/api/v1/users/me/settings', '/access/tickets', '/whoami']);

@Controller('team')
class UndeclaredController {
  @Get('report')
  report(): string {
    return 'secret';
  }

  @Get('declared')
  @NeedsCaller()
  declared(): string {
    return 'fine';
  }
}

@Module({ controllers: [UndeclaredController] })
class UndeclaredModule {}

/** Registers a route as a library would. */
@Module({})
class LibraryModule implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost) {}

  onModuleInit(): void {
    this.host.httpAdapter.getInstance<FastifyInstance>().register((server, _options, done) => {
      server.get('/library/file', () => 'secret');
      done();
    });
  }
}

describe('a route that does not declare what it needs', () => {
  it('in a module of a team keeps the server from starting, which names it and says what to write', async () => {
    const start = startServer({ imports: [UndeclaredModule] });
    await expect(start).rejects.toThrow(/\n {2}GET \/team\/report\n.*@Needs\('runs:read'\)/s);
    await expect(start).rejects.not.toThrow('/team/declared');
  });

  it('of a library keeps the server from listening', async () => {
    await expect(startServer({ imports: [LibraryModule] })).rejects.toThrow('GET /library/file');
  });
});

describe('a server with authentication', () => {
  const open = [
    ...['/', '/health', '/readiness', '/liveness', '/healthz', '/v1/aibot/bots/:agentId/healthz'],
    ...['/api/v1/agent/attachments/:id/content'],
    ...['/api/v1/console', '/console', '/console/*'],
    ...['/.well-known/agent-card.json', '/.well-known/agent.json', '/a2a/.well-known/agent-card.json'],
    ...['/a2a/agents', '/a2a/agents/.well-known/agent-card.json', '/a2a/jwks.json'],
    '/a2a/agents/:agent/.well-known/agent-card.json',
    ...['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'],
    ...['/docs', '/docs/', '/docs/*', '/docs/page.css', '/docs/page.js', '/docs/streams.js'],
  ];
  let server: TestServer;

  beforeAll(async () => {
    server = await startServer({ env: { AUTH: 'keys' }, overrides: [NAMED_USERS] });
  });
  afterAll(() => server.close());

  function routes(): { readonly method: string; readonly url: string; readonly isOpen: boolean }[] {
    return routesOf(server.app.getHttpAdapter().getInstance()).map((route) => {
      const need = needOfRoute(route);
      return { method: String(route.method), url: route.url, isOpen: need === 'public' || need === 'optional' };
    });
  }

  function send(method: string, url: string, token?: string): Promise<Response> {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return fetch(`${server.url}${requestPath(url, 'some-id')}`, { method, headers });
  }

  it('has no open routes but the probes, the pages and what they need to sign in, and signed addresses', () => {
    expect(
      [
        ...new Set(
          routes()
            .filter(({ isOpen }) => isOpen)
            .map(({ url }) => url),
        ),
      ].sort(),
    ).toEqual(open.sort());
  });

  it('answers 401 on every other route, and on unknown addresses, without a credential and with a wrong one', async () => {
    const closed = routes().filter(({ isOpen }) => !isOpen);
    expect(closed.length).toBeGreaterThan(80);
    for (const { method, url } of [...closed, { method: 'GET', url: '/nowhere' }, { method: 'PUT', url: '/process' }]) {
      for (const [token, challenge] of [
        [undefined, 'Bearer realm="parley"'],
        ['wrong', 'Bearer realm="parley", error="invalid_token"'],
      ] as const) {
        const answer = await send(method, url, token);
        const found = { method, url, status: answer.status, challenge: answer.headers.get('www-authenticate') };
        expect(found).toEqual({ method, url, status: 401, challenge });
        await answer.arrayBuffer();
      }
    }
  });

  it('answers 403 on every route that needs a scope to a caller without scopes', async () => {
    for (const { method, url } of routes().filter(({ isOpen }) => !isOpen)) {
      if (CALLER_ROUTES.has(url)) continue;
      const answer = await send(method, url, POWERLESS);
      expect({ method, url, status: answer.status }).toEqual({ method, url, status: 403 });
      expect(answer.headers.get('www-authenticate')).toContain('error="insufficient_scope", scope="');
      await answer.arrayBuffer();
    }
  });

  it('answers 404 and 405 to a caller as without authentication', async () => {
    expect((await send('GET', '/nowhere', POWERLESS)).status).toBe(404);
    expect((await send('PUT', '/process', POWERLESS)).status).toBe(405);
  });
});

describe.each([
  ['public', 200, 200],
  ['scope', 401, 200],
  ['off', 401, 404],
])('DOCS=%s', (docs, without, withScope) => {
  it(`answers GET /openapi.json with ${without}, and with ${withScope} to a caller with docs:read`, async () => {
    const server = await startServer({ env: { AUTH: 'keys', DOCS: docs }, overrides: [NAMED_USERS] });
    try {
      const read = (headers: Record<string, string>) => fetch(`${server.url}/openapi.json`, { headers });
      expect((await read({})).status).toBe(without);
      expect((await read({ 'x-api-key': 'alice@acme docs:read' })).status).toBe(withScope);
      expect((await fetch(`${server.url}/docs`)).status).toBe(docs === 'off' ? 401 : 200);
    } finally {
      await server.close();
    }
  });
});
