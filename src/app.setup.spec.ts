import { Global, Module } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { AccessSettings, Authenticator, BrowserPolicy, RequestRates } from './access/index.js';
import { Models } from './agent/index.js';
import { PublicAddress } from './agent/attachment/index.js';
import { configureApp, createFastifyAdapter, createOpenApiDocument } from './app.setup.js';
import { readConfiguration } from './app.settings.js';
import { Metrics } from './common/index.js';
import { ConfigModule } from './config/index.js';
import { HealthModule, ReadinessProbe } from './health/index.js';
import { HttpModule } from './protocol/http/index.js';
import { HttpMetrics, LoggingModule, LoggingSettings, NoTracing, RequestTraces } from './telemetry/index.js';

@Module({})
class EmptyModule {}

/** `/health` names the model; nobody has a credential. */
@Global()
@Module({
  providers: [
    { provide: Models, useValue: { main: { info: { provider: 'test', name: 'test' } }, named: [] } },
    { provide: PublicAddress, useValue: { documented: [] } },
    BrowserPolicy,
    Metrics,
    HttpMetrics,
    { provide: RequestTraces, useFactory: () => new RequestTraces(new NoTracing()) },
    { provide: RequestRates, useValue: { count: () => undefined } },
    {
      provide: Authenticator,
      useFactory: (settings: AccessSettings) => new Authenticator(settings, []),
      inject: [AccessSettings],
    },
  ],
  exports: [Models, PublicAddress, Authenticator, BrowserPolicy, HttpMetrics, Metrics, RequestRates, RequestTraces],
})
class TestModule {}

describe('configureApp', () => {
  let app: NestFastifyApplication | undefined;

  async function boot(env: Record<string, string> = {}): Promise<NestFastifyApplication> {
    const configuration = readConfiguration({ LOG_LEVEL: 'silent', ...env });
    const probe = { provide: ReadinessProbe, useValue: { ping: () => Promise.reject(new Error('secret detail')) } };
    const imports = [
      ConfigModule.forRoot(configuration),
      LoggingModule.forRoot(configuration.get(LoggingSettings)),
      HttpModule,
      TestModule,
      HealthModule.forRoot({ readiness: probe }),
    ];
    const testing = await Test.createTestingModule({ imports: [{ module: EmptyModule, imports }] }).compile();
    const created = testing.createNestApplication<NestFastifyApplication>(createFastifyAdapter(configuration), {
      logger: false,
    });
    app = created;
    configureApp(created);
    await created.init();
    return created;
  }
  afterEach(() => app?.close());

  async function preflight(env: Record<string, string>, origin: string): Promise<Record<string, unknown>> {
    const headers = {
      origin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'content-type,authorization,x-anything',
    };
    const response = await (await boot(env)).inject({ method: 'OPTIONS', url: '/process', headers });
    return { status: response.statusCode, ...response.headers };
  }

  it.each(['http://localhost:3000', 'http://127.0.0.1', 'https://[::1]:8443'])(
    'without authentication the origin %s is allowed, without credentials and with any headers',
    async (origin) => {
      const answer = await preflight({}, origin);
      expect(answer).toMatchObject({
        status: 204,
        'access-control-allow-origin': origin,
        'access-control-allow-headers': 'content-type,authorization,x-anything',
        'access-control-allow-methods': expect.stringContaining('POST'),
      });
      expect(answer).not.toHaveProperty('access-control-allow-credentials');
    },
  );

  it.each(['https://chat.example', 'http://localhost.evil.example', 'http://evil.example:3000', 'null'])(
    'without authentication the origin %s is not allowed',
    async (origin) => {
      expect(await preflight({}, origin)).not.toHaveProperty('access-control-allow-origin');
    },
  );

  it('only the configured origins are allowed', async () => {
    const env = { HOST: '0.0.0.0', ALLOW_UNAUTHENTICATED: 'true', CORS_ORIGINS: 'https://a.example' };
    expect(await preflight(env, 'https://a.example')).toMatchObject({
      'access-control-allow-origin': 'https://a.example',
    });
    await app?.close();
    expect(await preflight(env, 'https://b.example')).not.toHaveProperty(
      'access-control-allow-origin',
      'https://b.example',
    );
  });

  it('no origin is allowed on another address', async () => {
    expect(await preflight({ HOST: '0.0.0.0', AUTH: 'keys' }, 'https://a.example')).not.toHaveProperty(
      'access-control-allow-origin',
    );
  });

  it('the headers that clients read are exposed', async () => {
    const response = await (await boot()).inject({ url: '/liveness', headers: { origin: 'http://localhost:3000' } });
    const exposed = String(response.headers['access-control-expose-headers']).split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining([
        'X-Request-Id',
        'Location',
        'Retry-After',
        'retry-after-ms',
        'WWW-Authenticate',
        'RateLimit',
        'RateLimit-Policy',
        'Content-Location',
        'Idempotency-Replayed',
        'ETag',
      ]),
    );
  });

  it('responses and errors carry the request id of the client or a new one', async () => {
    const server = await boot();
    const given = await server.inject({ url: '/nowhere', headers: { 'x-request-id': 'mine-1' } });
    expect([given.statusCode, given.headers['x-request-id']]).toEqual([404, 'mine-1']);
    const made = await server.inject({ url: '/liveness', headers: { 'x-request-id': 'not acceptable' } });
    expect(made.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('a failed readiness check has the common error body and hides the reason', async () => {
    const response = await (await boot()).inject({ url: '/readiness' });
    expect(response.statusCode).toBe(503);
    expect(response.json()).toMatchObject({ code: 'DATABASE_ERROR', message: 'The database is not available' });
    expect(response.body).not.toContain('secret');
  });

  it('the API document and its page need no network', async () => {
    const server = await boot();
    const page = await server.inject({ url: '/docs' });
    expect(page.headers['content-type']).toContain('text/html');
    expect(page.body).not.toMatch(/(src|href)="(https?:)?\/\//);
    const document = (await server.inject({ url: '/openapi.json' })).json<{ paths: object }>();
    expect(Object.keys(document.paths)).toEqual(['/', '/health', '/readiness', '/liveness']);
    expect(createOpenApiDocument(server).info.title).toBe('Parley');
  });
});
