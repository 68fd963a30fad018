import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import 'reflect-metadata';
import { Controller, type DynamicModule, Module, Query } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Observable } from 'rxjs';
import { Public } from '../../src/access/index.js';
import { type Agent, type AgentContext, AgentType } from '../../src/agent/index.js';
import { AppModule } from '../../src/app.module.js';
import { readConfiguration } from '../../src/app.settings.js';
import { configureApp, createFastifyAdapter } from '../../src/app.setup.js';
import { type AbortLike, DEFAULT_TENANT, tenantReach } from '../../src/common/index.js';
import { type Configuration } from '../../src/config/index.js';
import { type AgentEvent, LoggedEvent, makeContent, ResponseBuilder, serializeEvent } from '../../src/events/index.js';
import { AgentApiEncoder } from '../../src/protocol/agent-api/agent-api.encoder.js';
import { ActiveStreams, HttpModule, SsePost, type StreamClient, StreamFor } from '../../src/protocol/http/index.js';
import { RunFrames, RunStream } from '../../src/protocol/wire/index.js';
import { Runs } from '../../src/run/index.js';
import { readScript, type ServerAnswer, type ServerQuestion } from '../protocol.js';
import { countWrites, openSideChannel } from '../side-channel.js';
import { pause, pieceText } from '../source.js';

/** Writes what the request's script says, through the same builder as every agent. */
@AgentType({ name: 'bench', description: 'Streams a script.', exposure: 'public' })
class BenchAgent implements Agent {
  async *run({ forwardedProps, response }: AgentContext): AsyncGenerator<undefined, void, void> {
    const script = readScript(forwardedProps.bench as Record<string, unknown>);
    const message = response.createMessageBuilder();
    const content = message.createContentBuilder('text');
    for (let index = 0; index < script.n;) {
      for (const end = Math.min(script.n, index + script.k); index < end; index += 1) {
        if (script.replace) content.setText(pieceText(index, script));
        else content.addTextDelta(pieceText(index, script));
      }
      yield undefined;
      await pause(script);
    }
    content.complete();
    message.complete();
  }
}

/** The events of a script in memory: what is left of Parley when the run and its log are taken away. */
async function* eventsInMemory(query: Record<string, string>): AsyncGenerator<readonly LoggedEvent[]> {
  const script = readScript(query);
  const opening: AgentEvent[] = [];
  const response = new ResponseBuilder({ sink: (event) => opening.push(event) });
  const message = response.createMessageBuilder();
  message.inProgress();
  let seq = 0;
  const logged = (event: AgentEvent): LoggedEvent => new LoggedEvent(seq++, serializeEvent(event), event);
  yield opening.map(logged);
  const head = {
    type: 'text',
    index: 0,
    msgId: message.getMessageData().id,
    status: 'in_progress',
    delta: true,
  } as const;
  for (let index = 0; index < script.n;) {
    const batch: LoggedEvent[] = [];
    for (const end = Math.min(script.n, index + script.k); index < end; index += 1) {
      batch.push(logged(makeContent(head, { text: pieceText(index, script) })));
    }
    yield batch;
    await pause(script);
  }
  yield [logged(response.completed())];
}

@Controller()
class BenchController {
  constructor(private readonly active: ActiveStreams) {}

  @Public()
  @SsePost('bench/live')
  live(@Query() query: Record<string, string>, @StreamFor() client: StreamClient): Observable<readonly string[]> {
    const source = framesOf(eventsInMemory(query), client.gone);
    const nothing = (): void => undefined;
    const { active } = this;
    return new RunStream({
      ...{ source, reader: client, active, keepAliveFrame: undefined },
      stop: nothing,
      onLeft: nothing,
    }).events();
  }
}

function framesOf(events: AsyncIterable<readonly LoggedEvent[]>, signal: AbortLike): RunFrames {
  return new RunFrames(events[Symbol.asyncIterator](), { encoder: new AgentApiEncoder({ doneFrame: true }), signal });
}

@Module({})
class BenchModule {
  static forRoot(configuration: Configuration): DynamicModule {
    return {
      module: BenchModule,
      imports: [AppModule.forRoot(configuration), HttpModule],
      providers: [BenchAgent],
      controllers: [BenchController],
    };
  }
}

/** Parley with a scripted agent in its own process instead of a model, and one more route. */
export async function startScriptedParley(databaseUrl: string | undefined): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const configuration = readConfiguration({
    LOG_LEVEL: 'silent',
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    DURABILITY: process.env.BENCH_DURABILITY,
    PORT: '0',
    DEFAULT_AGENT: 'bench',
    RUN_CONCURRENCY: '2000',
  });
  const app = await NestFactory.create<NestFastifyApplication>(
    BenchModule.forRoot(configuration),
    createFastifyAdapter(configuration),
    {
      logger: false,
      abortOnError: false,
    },
  );
  configureApp(app);
  countWrites(app.getHttpServer());
  await app.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
  openSideChannel((app.getHttpServer().address() as AddressInfo).port, (question) => answer(app, question));
}

async function answer(app: NestFastifyApplication, question: ServerQuestion): Promise<ServerAnswer | undefined> {
  if (question.ask === 'gone') return { goneMs: await untilGone(app.get(ActiveStreams, { strict: false })) };
  if (question.ask !== 'replay') return undefined;
  const tail = app.get(Runs, { strict: false }).tail(tenantReach(DEFAULT_TENANT), question.runId, {});
  let frames = 0;
  for await (const batch of framesOf(tail, new AbortController().signal)) frames += batch.length;
  return { frames };
}

/** Milliseconds until no stream is open; looks every millisecond, gives up after ten seconds. */
async function untilGone(streams: ActiveStreams): Promise<number> {
  const start = performance.now();
  while (streams.size > 0 && performance.now() - start < 10_000) await new Promise((resolve) => setTimeout(resolve, 1));
  return performance.now() - start;
}
