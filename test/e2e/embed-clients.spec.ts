import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CopilotKitCore } from '@copilotkit/core';
import { Controller, Get, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { WebSocket } from 'ws';
import { ParleyModule } from '../../src/index.js';
import { say, scriptedModel } from '../../src/test-kit/index.js';
import { CLIENTS, httpAgent, runAgent } from '../support/ag-ui-clients.js';
import { png } from '../support/images.js';
import { until } from '../support/until.js';

const BASE = '/api/assistant';

@Controller()
class HostController {
  @Get('hello')
  hello(): string {
    return 'of the host';
  }
}

/** A message of the Responses WebSocket. */
interface SocketEvent {
  readonly type: string;
  readonly response?: { readonly id: string; readonly status: string };
}

/** The status of a request that names a host. */
async function statusOf(url: string, host: string): Promise<number | undefined> {
  const [answer] = (await once(get(url, { headers: { host } }), 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

describe('the module of the guide', () => {
  it('starts under its path and wants a key', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-guide-'));
    process.env['SHOP_DATA'] = folder;
    const { ShopModule } = await import('../examples/shop.module.js');
    const options = { logger: false, abortOnError: false } as const;
    const app = await NestFactory.create<NestFastifyApplication>(ShopModule, new FastifyAdapter(), options);
    try {
      await app.listen(0, '127.0.0.1');
      const url = await app.getUrl();
      expect((await fetch(`${url}/agents/health`)).status).toBe(200);
      // PUBLIC_BASE_URL says under which host name the application is reached.
      expect((await fetch(`${url}/agents/v1/models`)).status).toBe(403);
      expect(await statusOf(`${url}/agents/v1/models`, 'shop.example')).toBe(401);
      expect((await fetch(`${url}/health`)).status).toBe(404);
    } finally {
      await app.close();
      delete process.env['SHOP_DATA'];
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('stock clients of a server inside an application of somebody else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-embedded-'));
  const model = scriptedModel(({ messages }) => say('You said ', JSON.stringify(messages.at(-1)?.content)));
  let app: NestFastifyApplication;
  let url: string;

  beforeAll(async () => {
    @Module({
      imports: [
        ParleyModule.forRoot({
          basePath: BASE,
          auth: 'none',
          model,
          settings: { DATA_DIR: folder, SAMPLES: 'off' },
        }),
      ],
      controllers: [HostController],
    })
    class HostModule {}

    app = await NestFactory.create<NestFastifyApplication>(HostModule, new FastifyAdapter(), {
      logger: false,
      abortOnError: false,
    });
    app.setGlobalPrefix('api');
    await app.listen(0, '127.0.0.1');
    url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Sends messages over a WebSocket, each when the response before it has ended, and returns all events. */
  async function converse(path: string, ...inputs: readonly object[]): Promise<readonly SocketEvent[]> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`);
    const events: SocketEvent[] = [];
    socket.on('message', (data: Buffer) => events.push(JSON.parse(data.toString()) as SocketEvent));
    await once(socket, 'open');
    for (const [index, input] of inputs.entries()) {
      const previous = events.findLast(({ type }) => type === 'response.completed')?.response?.id;
      const more = previous === undefined ? {} : { previous_response_id: previous };
      socket.send(JSON.stringify({ type: 'response.create', model: 'worker', ...input, ...more }));
      await until(() => events.filter(({ type }) => type === 'response.completed').length > index, 'a response');
    }
    socket.close();
    await once(socket, 'close');
    return events;
  }

  it('Responses over a WebSocket work under the base path', async () => {
    const events = await converse(`${BASE}/v1/responses`, { input: 'first' }, { input: 'second' });
    expect(events.map(({ type }) => type)).toContain('response.output_text.delta');
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toMatch(/first.*second/);
  });

  it.each(['/v1/responses', '/api/hello', `${BASE}/nothing`])('the upgrade of %s is refused', async (path) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`);
    const [error] = (await once(socket, 'error')) as [Error];
    expect(error.message).toMatch(/Unexpected server response: 4\d\d/);
  });

  it.each(CLIENTS)('the AG-UI client %s holds a conversation', async (version) => {
    const agent = httpAgent(version, { url: `${url}${BASE}/ag-ui`, threadId: `embedded-${version}` });
    for (const [index, words] of ['one', 'two'].entries()) {
      agent.addMessage({ id: `user-${index}`, role: 'user', content: words });
      const { events } = await runAgent(agent);
      expect(events.at(-1)?.type).toBe('RUN_FINISHED');
    }
    expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(agent.messages.at(-1)?.content).toContain('two');
  });

  describe.each(['rest', 'single'] as const)('@copilotkit/core over %s', (runtimeTransport) => {
    beforeAll(() => {
      // The client asks for a runtime in a page only.
      Object.assign(globalThis, { window: { location: { origin: url } } });
    });
    afterAll(() => void Reflect.deleteProperty(globalThis, 'window'));

    it('finds the agents, holds a conversation and shows it to another page', async () => {
      const pages: CopilotKitCore[] = [];
      const open = async (): Promise<[CopilotKitCore, NonNullable<ReturnType<CopilotKitCore['getAgent']>>]> => {
        const core = new CopilotKitCore({ runtimeUrl: `${url}${BASE}/copilotkit`, runtimeTransport });
        pages.push(core);
        const agent = await until(() => core.getAgent('default') ?? false, 'the list of agents');
        agent.threadId = `embedded-${runtimeTransport}`;
        return [core, agent];
      };
      try {
        const [core, agent] = await open();
        agent.addMessage({ id: 'user-1', role: 'user', content: 'hello' });
        await core.runAgent({ agent });
        expect(agent.messages.at(-1)?.content).toContain('hello');
        const [other, same] = await open();
        await other.connectAgent({ agent: same });
        expect(same.messages).toEqual(agent.messages);
      } finally {
        for (const core of pages) core.setRuntimeUrl(undefined);
      }
    });
  });

  it('signed addresses of attachments contain the base path, can be read, and are accepted in messages', async () => {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(png())], { type: 'image/png' }), 'sketch.png');
    const upload = await fetch(`${url}${BASE}/api/v1/agent/attachments`, { method: 'POST', body: form });
    expect(upload.status).toBe(201);
    const { url: signed } = (await upload.json()) as { url: string };
    expect(signed).toMatch(new RegExp(`^${url}${BASE}/api/v1/agent/attachments/`));
    const image = await fetch(signed);
    expect([image.status, image.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await image.arrayBuffer()).equals(png())).toBe(true);
    // Signed for this address: the same signature is nothing without the base path.
    expect((await fetch(signed.replace(BASE, ''))).status).toBe(404);
    expect((await fetch(signed.replace(/sig[^&]*/, 'sig=forged'))).status).toBeGreaterThanOrEqual(400);

    const answer = await fetch(`${url}${BASE}/api/v1/agent/runs?prefer=stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        threadId: '550e8400-e29b-41d4-a716-446655440001',
        runId: 'run-1',
        messages: [
          {
            id: 'user-1',
            role: 'user',
            content: [
              { type: 'text', text: 'Look' },
              { type: 'binary', mimeType: 'image/png', url: signed },
            ],
          },
        ],
        forwardedProps: { agent_type: 'worker' },
      }),
    });
    expect(await answer.text()).toContain('RUN_FINISHED');
    expect(model.requests.at(-1)?.messages.at(-1)).toMatchObject({ content: [{ type: 'text' }, { type: 'image' }] });
  });

  it('routes of the host stay beside the base path', async () => {
    expect(await (await fetch(`${url}/api/hello`)).text()).toBe('of the host');
    expect((await fetch(`${url}/copilotkit/info`)).status).toBe(404);
  });
});
