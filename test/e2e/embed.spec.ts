import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type ArgumentsHost,
  Body,
  Catch,
  Controller,
  type ExceptionFilter,
  Get,
  Injectable,
  Logger,
  Module,
  type OnModuleDestroy,
  Post,
} from '@nestjs/common';
import { APP_FILTER, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import OpenAI from 'openai';
import { AgentTool, ParleyModule } from '../../src/index.js';
import { callTool, say, scriptedModel } from '../../src/test-kit/index.js';
import { WIRES } from '../support/wires.js';

/** A service of the host that a tool injects. */
@Injectable()
class Stock implements OnModuleDestroy {
  destroyed = 0;

  count(): number {
    return 42;
  }

  onModuleDestroy(): void {
    this.destroyed += 1;
  }
}

@Module({ providers: [Stock], exports: [Stock] })
class StockModule {}

@Injectable()
class StockTool {
  constructor(private readonly stock: Stock) {}

  @AgentTool({ name: 'count_stock', description: 'Counts.', effects: 'none', parameters: { type: 'object' } })
  async count(): Promise<number> {
    return this.stock.count();
  }
}

@Controller()
class HostController {
  @Get('fail')
  fail(): void {
    throw new Error('of the host');
  }

  @Post('echo')
  echo(@Body() body: unknown): object {
    return { body };
  }
}

/** Answers every error of the host in its own words. */
@Catch()
class HostFilter implements ExceptionFilter {
  catch(error: Error, host: ArgumentsHost): void {
    void host.switchToHttp().getResponse<FastifyReply>().status(418).send({ host: error.message });
  }
}

describe('ParleyModule in an application of somebody else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-embed-'));
  const listeners = (): number[] =>
    ['SIGTERM', 'SIGINT', 'uncaughtException'].map((name) => process.listenerCount(name));
  const before = { listeners: listeners(), environment: { ...process.env } };
  let app: NestFastifyApplication;
  let url: string;
  /** Messages of Nest's loggers, which only the host may direct. */
  const messages: unknown[] = [];

  beforeAll(async () => {
    const note = (message: unknown): unknown => messages.push(message);
    const logger = { log: note, error: note, warn: note };
    @Module({
      imports: [
        StockModule,
        ParleyModule.forRoot({
          basePath: '/shop/agents',
          auth: 'none',
          imports: [StockModule],
          inject: [Stock],
          tools: [StockTool],
          model: scriptedModel(({ messages: [...asked] }) =>
            asked.at(-1)?.role === 'tool' ? say('There are ', '42.') : callTool('count_stock'),
          ),
          settings: { DATA_DIR: join(folder, 'one'), SAMPLES: 'off' },
        }),
        ParleyModule.forRootAsync({
          imports: [StockModule],
          inject: [Stock],
          useFactory: (stock: Stock) => ({
            basePath: '/second',
            auth: 'keys',
            wires: ['responses'] as const,
            model: scriptedModel(() => say(`Second ${stock.count()}`)),
            settings: { DATA_DIR: join(folder, 'two'), SAMPLES: 'off' },
          }),
        }),
      ],
      controllers: [HostController],
      providers: [{ provide: APP_FILTER, useClass: HostFilter }],
    })
    class HostModule {}

    app = await NestFactory.create<NestFastifyApplication>(HostModule, new FastifyAdapter({ bodyLimit: 100 }), {
      logger,
      abortOnError: false,
    });
    app.enableCors({ origin: 'https://host.example' });
    const server = app.getHttpAdapter().getInstance();
    server.addContentTypeParser('application/x-host', { parseAs: 'string' }, (_request, body, done) =>
      done(null, { raw: body }),
    );
    server.addHook('onRequest', (_request, reply, done) => {
      reply.header('x-host', 'yes');
      done();
    });
    await app.listen(0, '127.0.0.1');
    url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const send = (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
    fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it.each(WIRES.map((wire) => [wire.name, wire] as const))(
    'the wire %s streams under the base path',
    async (name, wire) => {
      const { path, body, headers = [] } = wire.say({ sessionId: randomUUID(), words: 'How many?', turn: 1 });
      const given = Object.fromEntries(headers.map((line) => line.split(': ') as [string, string]));
      // Responses creates conversations by a request of their own.
      const { conversation: _, ...request } = body;
      const answer = await send(`/shop/agents${path}`, request, { accept: 'text/event-stream', ...given });
      expect(answer.headers.get('content-type')).toContain('text/event-stream');
      const shown = wire.shown(await answer.text());
      expect(shown.text).toBe('There are 42.');
      const output = name === 'chat-completions' ? undefined : '42';
      expect(shown.calls).toEqual([{ name: 'count_stock', arguments: '{}', output }]);
    },
  );

  it('a stock client works with the base path in its address', async () => {
    const client = new OpenAI({ baseURL: `${url}/shop/agents/v1`, apiKey: 'none', maxRetries: 0 });
    const answer = await client.responses.create({ model: 'worker', input: 'How many?' });
    expect(answer.output_text).toBe('There are 42.');
  });

  it('addresses in headers contain the base path and can be read', async () => {
    const { body } = WIRES[0]?.say({ sessionId: 'session-address', words: 'How many?', turn: 1 }) ?? { body: {} };
    const answer = await send('/shop/agents/process', body);
    await answer.text();
    const address = answer.headers.get('content-location') ?? '';
    expect(address).toMatch(/^\/shop\/agents\/process\//);
    expect((await fetch(`${url}${address}`)).status).toBe(200);
  });

  it('routes of the host keep their filter, parsers, limits, CORS and headers', async () => {
    const failed = await fetch(`${url}/fail`, { headers: { origin: 'https://host.example' } });
    expect([failed.status, await failed.json()]).toEqual([418, { host: 'of the host' }]);
    expect(failed.headers.get('access-control-allow-origin')).toBe('https://host.example');
    for (const name of ['x-request-id', 'content-security-policy', 'x-content-type-options', 'ratelimit'])
      expect(failed.headers.get(name)).toBeNull();
    const own = await send('/echo', 'plain', { 'content-type': 'application/x-host' });
    expect(await own.json()).toEqual({ body: { raw: 'plain' } });
    expect((await send('/echo', { text: 'x'.repeat(200) })).status).toBe(418);
    expect((await send('/echo', '{"a":')).status).toBe(418);
  });

  it.each(['/docs', '/openapi.json', '/health', '/process', '/v1/models', '/shop/agentsx/health', '/'])(
    'the host has no %s',
    async (path) => {
      expect((await fetch(`${url}${path}`)).status).toBe(418);
    },
  );

  it('below the base path errors, limits and headers are those of Parley', async () => {
    const unknown = await fetch(`${url}/shop/agents/nothing`);
    expect([unknown.status, ((await unknown.json()) as { code: string }).code]).toEqual([404, 'RESOURCE_NOT_FOUND']);
    expect(unknown.headers.get('x-content-type-options')).toBe('nosniff');
    expect(unknown.headers.get('x-request-id')).not.toBeNull();
    expect(unknown.headers.get('x-host')).toBe('yes');
    expect((await send('/shop/agents/process', '{"a":')).status).toBe(400);
    for (const path of ['', '/', '/docs', '/openapi.json', '/health'])
      expect((await fetch(`${url}/shop/agents${path}`)).status).toBe(200);
  });

  it('a second copy has its own wires, agents, settings and data, and refuses requests without a key', async () => {
    expect((await send('/second/v1/responses', { model: 'worker', input: 'Hello' })).status).toBe(401);
    expect((await fetch(`${url}/second/health`)).status).toBe(200);
    const routes = (await (await fetch(`${url}/shop/agents/openapi.json`)).json()) as { paths: object };
    expect(Object.keys(routes.paths)).toContain('/ag-ui');
    expect((await send('/second/ag-ui', {})).status).not.toBe(200);
    expect((await send('/fail', {})).status).toBe(418);
  });

  it('nothing of the process is changed', () => {
    expect(listeners()).toEqual(before.listeners);
    expect(process.env).toEqual(before.environment);
    new Logger('Host').log('still here');
    expect(messages.at(-1)).toBe('still here');
  });

  it.each([
    [{ basePath: 'agents', auth: 'none' }, 'basePath must begin with a slash'],
    [{ basePath: '/agents', auth: 'none', settings: { LLM_MODLE: 'x' } }, 'LLM_MODLE is not a setting'],
  ])('options %j are refused with a sentence', async (options, sentence) => {
    @Module({ imports: [ParleyModule.forRoot(options)] })
    class WrongModule {}
    const create = NestFactory.create(WrongModule, new FastifyAdapter(), { abortOnError: false });
    await expect(create).rejects.toThrow(sentence);
  });

  it('closing the host ends its streams and calls the hooks of its providers once', async () => {
    const stock = app.get(Stock, { strict: false });
    await app.close();
    expect(stock.destroyed).toBe(1);
    await expect(fetch(`${url}/shop/agents/health`)).rejects.toThrow();
  });
});
