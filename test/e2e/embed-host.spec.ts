import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Global, Injectable, Module, type OnModuleDestroy } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import * as Host03 from 'typeorm-03';
import { AgentTool, ParleyModule, type ParleyOptions } from '../../src/index.js';
import { callTool, say, scriptedModel } from '../../src/test-kit/index.js';
import { describeInBrowser } from '../support/browser.js';
import { until } from '../support/until.js';

/** What providers of the host noticed, in order. */
const notes: string[] = [];

/** A connection of the host, which is closed when it is destroyed. */
@Injectable()
class Warehouse implements OnModuleDestroy {
  isOpen = true;
  /** Lets the call in progress return. */
  proceed: () => void = () => undefined;
  readonly proceeding = new Promise<void>((resolve) => (this.proceed = resolve));

  async count(): Promise<number> {
    notes.push('call began');
    await this.proceeding;
    notes.push(this.isOpen ? 'call used an open connection' : 'call used a closed connection');
    return 42;
  }

  onModuleDestroy(): void {
    this.isOpen = false;
    notes.push('connection closed');
  }
}

@Module({ providers: [Warehouse], exports: [Warehouse] })
class WarehouseModule {}

/** Of a module that nobody imports but the root, and that Nest destroys early. */
@Injectable()
class RootService implements OnModuleDestroy {
  onModuleDestroy(): void {
    notes.push('root destroyed');
  }
}

@Injectable()
class WarehouseTool {
  constructor(private readonly warehouse: Warehouse) {}

  @AgentTool({ name: 'count_stock', description: 'Counts.', effects: 'none', parameters: { type: 'object' } })
  async count(): Promise<number> {
    return this.warehouse.count();
  }
}

@Host03.Entity({ name: 'sessions' })
class HostSession {
  @Host03.PrimaryGeneratedColumn()
  readonly id!: number;

  @Host03.Column('varchar')
  readonly name!: string;

  @Host03.OneToMany(() => HostItem, (item) => item.session)
  readonly items!: HostItem[];
}

@Host03.Entity({ name: 'items' })
class HostItem {
  @Host03.PrimaryGeneratedColumn()
  readonly id!: number;

  @Host03.ManyToOne(() => HostSession, (session) => session.items)
  readonly session!: HostSession;
}

describe('ParleyModule beside the parts of a host', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-host-'));
  const open: NestFastifyApplication[] = [];
  afterAll(async () => {
    for (const app of open) await app.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(name: string, options: Partial<ParleyOptions>): Promise<NestFastifyApplication> {
    @Global()
    @Module({
      imports: [
        WarehouseModule,
        ParleyModule.forRoot({
          basePath: '/inner/agents',
          auth: 'none',
          imports: [WarehouseModule],
          inject: [Warehouse],
          ...options,
          settings: { DATA_DIR: join(folder, name), ...options.settings },
        }),
      ],
      providers: [RootService],
      exports: [RootService],
    })
    class HostModule {}
    const app = await NestFactory.create<NestFastifyApplication>(HostModule, new FastifyAdapter(), {
      logger: false,
      abortOnError: false,
    });
    open.push(app);
    await app.listen(0, '127.0.0.1');
    return app;
  }

  const ask = async (app: NestFastifyApplication): Promise<string> => {
    const answer = await fetch(`${await app.getUrl()}/inner/agents/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'worker', input: 'How many?' }),
    });
    return answer.text();
  };

  it('runs end before any provider of the host is destroyed', async () => {
    const model = scriptedModel([callTool('count_stock'), say('There are 42.')]);
    const app = await start('order', { tools: [WarehouseTool], model });
    const answer = ask(app);
    await until(() => notes.includes('call began'));
    const closed = app.close();
    const url = `${await app.getUrl()}/inner/agents/readiness`;
    await until(async () => (await fetch(url)).status === 503, 'the server is not ready any more');
    expect(notes).toEqual(['call began']);
    app.get(Warehouse, { strict: false }).proceed();
    await closed;
    await answer;
    expect(notes.slice(0, 2)).toEqual(['call began', 'call used an open connection']);
    expect(notes.slice(2).sort()).toEqual(['connection closed', 'root destroyed']);
  });

  it('there are no samples: neither their tools, nor their model, nor their table', async () => {
    const app = await start('plain', { model: scriptedModel([say('Hello')]) });
    const url = await app.getUrl();
    const tools = (await (await fetch(`${url}/inner/agents/tools`)).json()) as { data: { name: string }[] };
    expect(JSON.stringify(tools)).not.toContain('weather');
    await expect(start('modelless', {})).rejects.toThrow(
      'LLM_BASE_URL must be set, or DASHSCOPE_API_KEY or OPENAI_API_KEY, because SAMPLES is off',
    );
  });

  it.each([
    [{}, '/inner/agents'],
    [{ PUBLIC_BASE_URL: 'https://shop.example/inner/agents' }, 'https://shop.example/inner/agents'],
  ])('the description of the API with %j names the address %s', async (settings, address) => {
    const app = await start(`described-${Object.keys(settings).length}`, { model: scriptedModel([]), settings });
    const headers = { host: 'PUBLIC_BASE_URL' in settings ? 'shop.example' : '127.0.0.1' };
    const { body } = await app.inject({ url: '/inner/agents/openapi.json', headers });
    expect((JSON.parse(body) as { servers: unknown }).servers).toEqual([{ url: address }]);
  });

  it('TypeORM 0.3 of the host works beside that of Parley, on a database with tables of the same names', async () => {
    const app = await start('typeorm', { model: scriptedModel([say('Hello')]) });
    const source = new Host03.DataSource({
      type: 'better-sqlite3',
      database: join(folder, 'host.db'),
      entities: [HostSession, HostItem],
      synchronize: true,
    });
    await source.initialize();
    try {
      const session = await source.getRepository(HostSession).save({ name: 'of the host' });
      await source.getRepository(HostItem).save({ session });
      const found = await source.getRepository(HostSession).find({ relations: { items: true } });
      expect(found.map(({ name, items }) => [name, items.length])).toEqual([['of the host', 1]]);
      expect(source.entityMetadatas.map(({ tableName }) => tableName).sort()).toEqual(['items', 'sessions']);
    } finally {
      await source.destroy();
    }
    expect(await ask(app)).toContain('Hello');
  });

  describeInBrowser('Swagger UI below the base path', (browser) => {
    it('calls the API where it is', async () => {
      const app = await start('swagger', { model: scriptedModel(() => say('There are 42.')) });
      const page = await browser.page(`${await app.getUrl()}/inner/agents/docs`);
      const operation = page.locator('.opblock-post', { has: page.locator('[data-path="/process"]') });
      await operation.locator('.opblock-summary-control').click();
      await operation.getByRole('button', { name: 'Try it out' }).click();
      await operation.getByRole('button', { name: 'Execute' }).click();
      const live = operation.locator('.live-responses-table');
      await live.waitFor();
      expect(await live.locator('.response-col_status').last().innerText()).toMatch(/^200/);
      expect(await live.locator('.response-col_description').last().innerText()).toContain('There are 42.');
    });
  });
});
