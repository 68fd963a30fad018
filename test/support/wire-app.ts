import { type AddressInfo, connect, type Socket } from 'node:net';
import { Global, Module, type Type } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { AttachmentService } from '../../src/attachment/index.js';
import { Clock, IdFactory, SequentialIds, SystemClock } from '../../src/common/index.js';
import { type AppConfig, ConfigModule, configFrom } from '../../src/config/index.js';
import { fastifyServerOptions, registerRequestLimits } from '../../src/protocol/http/index.js';
import { AgentRegistry } from '../../src/agent/index.js';
import { Dispatcher, Runs } from '../../src/run/index.js';
import { Sessions } from '../../src/session/index.js';
import { UserSettings } from '../../src/user-settings/index.js';
import { FakeRuns } from './fake-runs.js';
import { MemoryUserSettings } from './memory-user-settings.js';

/** A wire's modules on a real port, over runs in memory. */
export interface WireApp {
  readonly app: NestFastifyApplication;
  readonly runs: FakeRuns;
  readonly port: number;
  readonly url: string;
}

/** Boots modules as `main` does, but for what lies below the wires. */
export async function bootWire(imports: readonly Type[], env: NodeJS.ProcessEnv = {}): Promise<WireApp> {
  const config: AppConfig = configFrom(env);
  const runs = new FakeRuns();
  const tokens = [
    { provide: Runs, useValue: runs },
    { provide: IdFactory, useValue: new SequentialIds() },
    { provide: Clock, useValue: new SystemClock() },
    { provide: AttachmentService, useValue: {} },
    { provide: UserSettings, useValue: new MemoryUserSettings() },
    // Below the wires there is nothing but runs: what needs more is tested with the whole server.
    { provide: Sessions, useValue: {} },
    { provide: Dispatcher, useValue: { accepting: true } },
    { provide: AgentRegistry, useValue: { isPublic: (name: string) => name === 'worker' } },
  ];

  @Global()
  @Module({ providers: tokens, exports: tokens.map(({ provide }) => provide) })
  class Below {}

  const module = await Test.createTestingModule({
    imports: [ConfigModule.forRoot(config), Below, ...imports],
  }).compile();
  const app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(fastifyServerOptions(config)), {
    logger: false,
  });
  registerRequestLimits(app, config);
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  return { app, runs, port, url: `http://127.0.0.1:${port}` };
}

/** The chunks of a chunked HTTP answer, as they were framed on the wire. */
export class RawAnswer {
  bytes = Buffer.alloc(0);
  closed = false;

  constructor(readonly socket: Socket) {
    socket.on('data', (data) => (this.bytes = Buffer.concat([this.bytes, data])));
    socket.on('close', () => (this.closed = true));
    socket.on('error', () => undefined);
  }

  get head(): string {
    const text = this.bytes.toString('latin1');
    const end = text.indexOf('\r\n\r\n');
    return end < 0 ? '' : text.slice(0, end);
  }

  /** The complete chunks so far. */
  get chunks(): string[] {
    const chunks: string[] = [];
    let at = this.bytes.indexOf('\r\n\r\n') + 4;
    if (at < 4) return chunks;
    for (;;) {
      const lineEnd = this.bytes.indexOf('\r\n', at);
      if (lineEnd < 0) return chunks;
      const length = Number.parseInt(this.bytes.toString('latin1', at, lineEnd), 16);
      const end = lineEnd + 2 + length + 2;
      if (!(length > 0) || this.bytes.length < end) return chunks;
      chunks.push(this.bytes.toString('utf8', lineEnd + 2, end - 2));
      at = end;
    }
  }

  /** The last chunk has arrived. */
  get ended(): boolean {
    return this.bytes.toString('latin1').endsWith('\r\n0\r\n\r\n');
  }
}

/** Sends a request over a bare socket. */
export function rawRequest(
  port: number,
  method: string,
  path: string,
  body?: string | Buffer,
  headers: readonly string[] = [],
): RawAnswer {
  const socket = connect(port, '127.0.0.1');
  const answer = new RawAnswer(socket);
  const length =
    body === undefined ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`];
  socket.write([`${method} ${path} HTTP/1.1`, 'host: test', ...length, ...headers, '', ''].join('\r\n'));
  if (body !== undefined) socket.write(body);
  return answer;
}

/** Waits until something holds; looks again in short intervals. */
export async function until(holds: () => boolean, what: string, timeoutMs = 10_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error(`Not within ${timeoutMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
