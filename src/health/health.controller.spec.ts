import type { DynamicModule, INestApplication } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { AnonymousCaller, setCaller } from '../access/index.js';
import { type ModelInfo, Models } from '../agent/index.js';
import { VERSION } from '../common/index.js';
import { ConfigModule, Configuration } from '../config/index.js';
import { DatabaseSettings } from '../database/index.js';
import type { ToolServerState } from '../agent/tools/index.js';
import {
  HealthModule,
  ReadinessProbe,
  RemoteAgentsProbe,
  type RemoteAgentState,
  ShutdownState,
  ToolServersProbe,
} from './index.js';
import { ReadinessService } from './readiness.service.js';

/** A database whose answer each test chooses. */
class FakeProbe extends ReadinessProbe {
  answer: () => Promise<void> = () => Promise.resolve();

  ping(): Promise<void> {
    return this.answer();
  }
}

function modelModule(info: ModelInfo): DynamicModule {
  const model = { provide: Models, useValue: { main: { info }, named: [] } };
  return { module: class ModelModule {}, global: true, providers: [model], exports: [Models] };
}

describe('HealthController', () => {
  const probe = new FakeProbe();
  let servers: readonly ToolServerState[] = [];
  let agents: readonly RemoteAgentState[] = [];
  let app: NestFastifyApplication;
  /** Whether requests come from somebody with the scope ops:read. */
  let isOperator = true;

  beforeAll(async () => {
    const imports = [
      ConfigModule.forRoot(Configuration.read({}, [DatabaseSettings])),
      modelModule({ kind: 'openai-compatible', name: 'gpt-4o-mini' }),
      HealthModule.forRoot({
        readiness: { provide: ReadinessProbe, useValue: probe },
        toolServers: { provide: ToolServersProbe, useValue: { servers: () => servers } },
        remoteAgents: { provide: RemoteAgentsProbe, useValue: { views: () => agents } },
      }),
    ];
    const testing = await Test.createTestingModule({ imports }).compile();
    app = testing.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false });
    app
      .getHttpAdapter()
      .getInstance()
      .addHook('onRequest', (request, _reply, done) => {
        if (isOperator) setCaller(request, new AnonymousCaller(request.raw));
        done();
      });
    await app.init();
  });
  afterAll(() => app.close());
  beforeEach(() => {
    probe.answer = () => Promise.resolve();
    servers = [];
    agents = [];
    isOperator = true;
  });

  async function get(url: string): Promise<{ status: number; body: unknown }> {
    const response = await app.inject({ url, headers: { accept: 'text/html' } });
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    return { status: response.statusCode, body: response.json() };
  }

  it('GET / describes the server, as JSON also to a browser', async () => {
    expect(await get('/')).toEqual({
      status: 200,
      body: {
        service: 'Parley',
        version: VERSION,
        mode: 'standalone',
        endpoints: {
          process: '/process',
          stream: '/process',
          task: '/process/task',
          task_status: '/process/task/{task_id}',
          stop: '/stop',
          health: '/health',
          docs: '/docs',
          openapi: '/openapi.json',
        },
      },
    });
  });

  it('GET /health reports the model and the database', async () => {
    const { status, body } = await get('/health');
    expect(status).toBe(200);
    expect(body).toEqual({
      status: 'healthy',
      mode: 'standalone',
      runner: 'ready',
      version: VERSION,
      uptime: expect.any(Number),
      model: { kind: 'openai-compatible', name: 'gpt-4o-mini' },
      database: 'sqlite',
    });
  });

  it('without ops:read, GET /health and GET /readiness name neither the model, the database nor MCP servers', async () => {
    isOperator = false;
    servers = [{ label: 'files', state: 'up', required: true }];
    const { body } = await get('/health');
    expect(Object.keys(body as object)).toEqual(['status', 'mode', 'runner', 'version', 'uptime']);
    expect(await get('/readiness')).toEqual({ status: 200, body: { status: 'ready' } });
    servers = [{ label: 'files', state: 'down', required: true }];
    expect(JSON.stringify(await get('/readiness'))).not.toContain('files');
  });

  it('GET /liveness answers', async () => {
    expect(await get('/liveness')).toEqual({ status: 200, body: { status: 'alive' } });
  });

  it('the server is ready if the database answers', async () => {
    expect(await get('/readiness')).toEqual({ status: 200, body: { status: 'ready' } });
  });

  it('GET /readiness shows the states of the MCP servers; an optional one does not affect it', async () => {
    servers = [
      { label: 'files', state: 'down', required: false },
      { label: 'tickets', state: 'up', required: true },
    ];
    expect(await get('/readiness')).toEqual({ status: 200, body: { status: 'ready', mcp_servers: servers } });
  });

  it.each(['idle', 'connecting', 'down'] as const)(
    'the server is not ready while a required MCP server is %s',
    async (state) => {
      servers = [{ label: 'tickets', state, required: true }];
      await expect(readiness(app).assertReady({ showsDetails: true })).rejects.toMatchObject({
        code: 'NOT_READY',
        status: 503,
        message: 'The MCP server "tickets" is not available',
      });
    },
  );

  it('GET /readiness shows the states of remote agents, without where they are', async () => {
    const address = 'https://travel.example/v1';
    agents = [{ name: 'travel', state: 'down', required: false, address } as RemoteAgentState];
    const { body } = await get('/readiness');
    expect(body).toEqual({ status: 'ready', remote_agents: [{ name: 'travel', state: 'down', required: false }] });
    isOperator = false;
    expect(await get('/readiness')).toEqual({ status: 200, body: { status: 'ready' } });
  });

  it.each(['idle', 'down'] as const)('the server is not ready while a required remote agent is %s', async (state) => {
    agents = [{ name: 'travel', state, required: true }];
    await expect(readiness(app).assertReady({ showsDetails: true })).rejects.toMatchObject({
      code: 'NOT_READY',
      message: 'The remote agent "travel" is not available',
    });
  });

  it('the server is not ready if the database fails, and does not show the reason', async () => {
    probe.answer = () => Promise.reject(new Error('password authentication failed for user "root"'));
    await expect(readiness(app).assertReady({ showsDetails: true })).rejects.toMatchObject({
      code: 'DATABASE_ERROR',
      status: 503,
      message: 'The database is not available',
    });
  });

  it('the readiness check does not wait for a database that hangs', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      probe.answer = () => new Promise(() => undefined);
      const refused = expect(readiness(app).assertReady({ showsDetails: true })).rejects.toMatchObject({
        code: 'DATABASE_ERROR',
      });
      await jest.advanceTimersByTimeAsync(2000);
      await refused;
    } finally {
      jest.useRealTimers();
    }
  });

  it('a server that shuts down is not ready, but alive', async () => {
    app.get(ShutdownState).begin();
    await expect(readiness(app).assertReady({ showsDetails: true })).rejects.toMatchObject({
      code: 'SHUTTING_DOWN',
      status: 503,
    });
    expect(await get('/liveness')).toMatchObject({ status: 200 });
    expect(await get('/health')).toMatchObject({ status: 200, body: { runner: 'not_ready' } });
  });
});

function readiness(app: INestApplication): ReadinessService {
  return app.get(ReadinessService);
}
