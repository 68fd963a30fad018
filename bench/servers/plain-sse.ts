import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import 'reflect-metadata';
import { Controller, type MessageEvent, Module, Query, Sse } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Observable } from 'rxjs';
import { DataSource, EntitySchema } from 'typeorm';
import { readScript, type Script } from '../protocol.js';
import { openSideChannel } from '../side-channel.js';
import { pause, pieceOf } from '../source.js';

interface EventRow {
  id?: number;
  run: string;
  seq: number;
  body: string;
}

const Event = new EntitySchema<EventRow>({
  name: 'event',
  columns: {
    id: { type: 'integer', primary: true, generated: true },
    run: { type: 'text' },
    seq: { type: 'integer' },
    body: { type: 'text' },
  },
  uniques: [{ columns: ['run', 'seq'] }],
});

let store: DataSource | undefined;
let runs = 0;

function pieces(script: Script): Observable<MessageEvent> {
  return new Observable((out) => {
    const run = `run-${(runs += 1)}`;
    const produce = async (): Promise<void> => {
      for (let index = 0; index < script.n && !out.closed;) {
        for (const end = Math.min(script.n, index + script.k); index < end; index += 1) {
          const data = pieceOf(index, script);
          const row = { run, seq: index, body: JSON.stringify(data) };
          if (store) await store.getRepository(Event).insert(row);
          out.next({ data });
        }
        await pause(script);
      }
      out.complete();
    };
    produce().catch((error: unknown) => out.error(error));
  });
}

@Controller()
class PlainController {
  @Sse('stream')
  stream(@Query() query: Record<string, string>): Observable<MessageEvent> {
    return pieces(readScript(query));
  }
}

@Module({ controllers: [PlainController] })
class PlainModule {}

/** What one writes without thinking about speed: Nest's `@Sse`; with a log, TypeORM's insert per event. */
export async function startPlainSse(logged: boolean): Promise<void> {
  if (logged) {
    const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    const database = join(folder, 'plain.db');
    store = new DataSource({ type: 'better-sqlite3', database, entities: [Event], synchronize: true, enableWAL: true });
    await store.initialize();
  }
  const app = await NestFactory.create<NestFastifyApplication>(PlainModule, new FastifyAdapter(), { logger: false });
  await app.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
  openSideChannel((app.getHttpServer().address() as AddressInfo).port);
}
