import { randomUUID } from 'node:crypto';
import type { DataSource } from 'typeorm';
import {
  type Agent,
  type AgentContext,
  AgentRegistry,
  AgentType,
  ModelClient,
  type ModelEvent,
  ModelLoop,
  type ModelRequest,
} from '../../src/agent/index.js';
import type { Principal } from '../../src/common/index.js';
import { Database } from '../../src/database/index.js';
import { type CalendarEvent, CalendarStore } from '../../src/samples/index.js';
import { ToolRegistry } from '../../src/agent/tools/index.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { startServer, type TestServer } from '../support/server.js';
import { WIRES } from '../support/wires.js';

const SAMPLE_TOOLS = ['calendar_list', 'calendar_write', 'get_weather'];
/** The model is never called at this address: the tests that run an agent bring their own client. */
const OFF = { SAMPLES: 'off', LLM_BASE_URL: 'http://127.0.0.1:9/v1', LLM_MODEL: 'none' };
const ANA: Principal = { tenantId: 'default', userId: 'ana' };
const EVENT: CalendarEvent = {
  ...{ id: 'event-1', title: 'Standup', startsAt: 1000, endsAt: 2000 },
  ...{ eventTimezone: 'UTC', location: null, notes: null },
};

/** The table of the calendar as the core schema of earlier versions made it. */
const TABLE_OF_EARLIER_VERSIONS = `
  CREATE TABLE "calendar_events" (
    "id" varchar(64) NOT NULL, "tenant_id" varchar(128) NOT NULL, "user_id" varchar(256) NOT NULL,
    "idempotency_key" varchar(64) NOT NULL, "title" varchar(200) NOT NULL, "starts_at" bigint NOT NULL,
    "ends_at" bigint NOT NULL, "event_timezone" varchar(64) NOT NULL, "location" varchar(500), "notes" text,
    "created_at" bigint NOT NULL,
    CONSTRAINT "pk_calendar_events" PRIMARY KEY ("id"),
    CONSTRAINT "uq_calendar_events_key" UNIQUE ("tenant_id", "user_id", "idempotency_key"))`;
const INDEX_OF_EARLIER_VERSIONS = `
  CREATE INDEX "ix_calendar_events_owner_start" ON "calendar_events" ("tenant_id", "user_id", "starts_at")`;

/** Answers at once and keeps the names of the tools that each call offers. */
class ToolRecorder extends ModelClient {
  readonly provider = 'recorder';
  readonly offered: string[][] = [];

  async *stream({ tools }: ModelRequest): AsyncGenerator<readonly ModelEvent[], void, undefined> {
    this.offered.push(tools.map(({ name }) => name));
    yield [
      { type: 'text-delta', text: 'Fine.' },
      { type: 'finish', reason: 'stop', usage: null },
    ];
  }
}

async function tablesOf(server: TestServer): Promise<string[]> {
  const database = server.get(Database);
  const rows = await database.read.all<{ name: string }>(
    database.dialect === 'sqlite'
      ? `SELECT name FROM sqlite_master WHERE type = 'table'`
      : `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'`,
  );
  return rows.map(({ name }) => name);
}

describeOnDatabases('a server with SAMPLES=off', (open) => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await open();
  });
  afterEach(() => database.drop());

  /** Boots the server, uses it, and stops it again. */
  async function served<T>(env: NodeJS.ProcessEnv, use: (server: TestServer) => Promise<T>, model?: ModelClient) {
    const server = await startServer({ database, env, ...(model && { model }) });
    try {
      return await use(server);
    } finally {
      await server.close();
    }
  }

  const add = (server: TestServer) => server.get(CalendarStore).add(ANA, 'key', EVENT, 1);
  const events = (server: TestServer) => server.get(CalendarStore).list(ANA, { from: 0, until: undefined, limit: 10 });

  /** The tools that agents are offered on each wire. */
  async function offeredOnAllWires(env: NodeJS.ProcessEnv): Promise<string[][]> {
    const model = new ToolRecorder();
    await served(
      env,
      async ({ url }) => {
        for (const [turn, wire] of WIRES.entries()) {
          const sessionId = randomUUID();
          // The Runs API has users of its own; the other wires share the session that this makes.
          if (wire.name !== 'runs') {
            await post(`${url}/v1/aibot/bots/worker/conversation`, { conversationId: sessionId });
          }
          const { path, body } = wire.say({ sessionId, words: 'What is the weather in Paris?', turn });
          expect(wire.shown(await post(`${url}${path}`, body)).text).toBe('Fine.');
        }
      },
      model,
    );
    expect(model.offered).toHaveLength(WIRES.length);
    return model.offered;
  }

  it('a new database has no calendar table', async () => {
    const tables = await served(OFF, tablesOf);
    expect(tables).toContain('user_settings');
    expect(tables).not.toContain('calendar_events');
    expect(await served({}, tablesOf)).toContain('calendar_events');
  });

  it('no agent is offered the sample tools on any wire', async () => {
    for (const names of await offeredOnAllWires(OFF)) expect(names).toEqual(['get_current_time']);
    for (const names of await offeredOnAllWires({})) expect(names).toEqual(expect.arrayContaining(SAMPLE_TOOLS));
    const registered = await served(OFF, (server) => server.get(ToolRegistry).list());
    expect(registered.map(({ name }) => name)).toEqual(['get_current_time']);
  });

  it('the calendar is kept while samples are switched off and on again', async () => {
    await served({}, add);
    expect(await served(OFF, tablesOf)).toContain('calendar_events');
    expect(await served({}, events)).toEqual([EVENT]);
    expect(await served({}, add)).toEqual({ event: EVENT, created: false });
  });

  it('a database of an earlier version, whose calendar is part of the core schema, is opened', async () => {
    await served(OFF, (server) =>
      server.get(Database).write(async (tx) => {
        for (const statement of [TABLE_OF_EARLIER_VERSIONS, INDEX_OF_EARLIER_VERSIONS]) await tx.run(statement);
        const columns =
          'id, tenant_id, user_id, idempotency_key, title, starts_at, ends_at, event_timezone, created_at';
        await tx.run(
          `INSERT INTO calendar_events (${columns}) VALUES (?, 'default', 'ana', 'key', ?, 1000, 2000, 'UTC', 1)`,
          [EVENT.id, EVENT.title],
        );
      }),
    );
    await served(OFF, tablesOf);
    expect(await served({}, events)).toEqual([EVENT]);
    await served(OFF, tablesOf);
    expect(await served({}, events)).toEqual([EVENT]);
  });
});

@AgentType({ name: 'shop', description: 'Sells.', exposure: 'public' })
class ShopAgent implements Agent {
  constructor(private readonly loop: ModelLoop) {}

  run(context: AgentContext): ReturnType<Agent['run']> {
    return this.loop.run(context, { systemPrompt: 'Sell.' });
  }
}

describe('a server with SAMPLES=model', () => {
  it.each([
    [{ SAMPLES: 'model' }, ['shop', 'worker']],
    [{ SAMPLES: 'model', DEFAULT_AGENT: 'shop' }, ['shop']],
    [{ ...OFF, DEFAULT_AGENT: 'shop' }, ['shop']],
    [{ DEFAULT_AGENT: 'shop' }, ['shop', 'worker']],
  ])('with %j clients see the agents %j', async (env, names) => {
    const server = await startServer({ env, providers: [ShopAgent], listen: false });
    try {
      const agents = server.get(AgentRegistry).listFor(null);
      expect(agents.map(({ name }) => name).sort()).toEqual(names);
    } finally {
      await server.close();
    }
  });

  it('the demo model answers, without the tools and the tables of the samples', async () => {
    const server = await startServer({ env: { SAMPLES: 'model' } });
    try {
      const body = { model: 'worker', input: 'What is 6 * 7?' };
      expect(JSON.stringify(await post(`${server.url}/v1/responses`, body))).toContain('6 * 7 = 42');
      const registered = await server.get(ToolRegistry).list();
      expect(registered.map(({ name }) => name)).toEqual(['get_current_time']);
      expect(await tablesOf(server)).not.toContain('calendar_events');
    } finally {
      await server.close();
    }
  });
});

describe('the data source of the migration commands with SAMPLES=off', () => {
  const environment = process.env;
  afterEach(() => {
    process.env = environment;
  });

  it('needs no model and leaves out the migrations of the samples', async () => {
    process.env = { SAMPLES: 'off', DATABASE_URL: 'postgres://127.0.0.1/unused' };
    const { default: source } = (await import('../../ormconfig.js')) as unknown as { default: DataSource };
    const names = (source.options.migrations as (() => unknown)[]).map(({ name }) => name);
    expect(names).toContain('CreateUserSettings1795478400000');
    expect(names.filter((name) => name.includes('Sample'))).toEqual([]);
  });
});

async function post(url: string, body: object): Promise<string> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  expect(`${answer.status} ${text}`).toMatch(/^20\d /);
  return text;
}
