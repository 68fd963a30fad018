import { randomUUID } from 'node:crypto';
import { ApiKeys, Tenants } from '../../src/access/index.js';
import { call, finish, ScriptedModelClient, text } from '../../src/agent/testing/scripted-model-client.js';
import type { JsonObject } from '../../src/common/index.js';
import { Database } from '../../src/database/index.js';
import type { TestDatabase } from './databases.js';
import { SAY } from './foreign-requests.js';
import { NAMED_USERS } from './identities.js';
import { bearer, TEST_MANAGER } from './keys.js';
import { SampleTools } from './sample-tools.js';
import { startServer, type TestServer } from './server.js';
import { sent } from './stored-person.js';
import { until } from './until.js';

/** Whose data is exported. */
export const PERSON = 'margaret_1887';
/** In all content of the person. */
export const MARKER = 'the-words-of-margaret';
/** The token of the person, and of two others. */
export const ALICE = `${PERSON}@acme`;
export const BOB = 'bob@acme';
export const ADMIN = 'officer@acme admin:data admin:budgets audit:read runs:read';
/** The export of the person. */
export const EXPORT = `/admin/users/${PERSON}/export`;

/** What is stored of the person. */
export interface Line {
  readonly kind: string;
  readonly unreadable?: true;
  readonly data: JsonObject;
}

/** An export as its readers see it. */
export interface Export {
  readonly text: string;
  readonly head: JsonObject | undefined;
  readonly lines: readonly Line[];
  readonly end:
    | { readonly complete: true; readonly rows: number; readonly unreadable: number; readonly counts: Counts }
    | undefined;
}

/** How many there are, by kind. */
export type Counts = Readonly<Record<string, number>>;

/** Reads an export, which may be cut. */
export function parsed(content: string): Export {
  const all = content
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as JsonObject];
      } catch {
        return [];
      }
    });
  return {
    text: content,
    head: all.find(({ export: head }) => head !== undefined)?.['export'] as JsonObject | undefined,
    lines: all.filter(({ kind }) => kind !== undefined) as unknown as Line[],
    end: all.find(({ end }) => end !== undefined)?.['end'] as unknown as Export['end'],
  };
}

/** Pays if it is told to, and asks before. */
function payingModel(): ScriptedModelClient {
  let count = 0;
  return new ScriptedModelClient(({ messages }) => {
    const last = messages.at(-1);
    const words = JSON.stringify(last?.content ?? '');
    if (last?.role !== 'user' || !words.includes('Pay')) return [text(`You said ${words}`), finish()];
    const to = words.includes(MARKER) ? MARKER : 'bobs-payee';
    return [call(0, 'pay', `{"to":"${to}","amount":1}`, `call-${(count += 1)}`), finish('tool-calls')];
  });
}

/** A server of which users are exported. */
export class ExportingServer {
  server!: TestServer;
  database!: TestDatabase;

  /** @param overrides default: `NAMED_USERS` */
  async start(env: NodeJS.ProcessEnv = {}, overrides = [NAMED_USERS]): Promise<void> {
    const { database } = this;
    this.server = await startServer({
      ...{ database, env: { USAGE: 'always', ...env }, overrides },
      providers: [SampleTools],
      model: payingModel(),
    });
    for (const tenant of ['acme', 'other']) await this.server.get(Tenants).create(tenant, TEST_MANAGER.origin);
  }

  async close(): Promise<void> {
    await this.server.close();
    await this.database.drop();
  }

  fetched(token: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
    const signal = AbortSignal.timeout(60_000);
    return fetch(this.server.url + path, { headers: { ...bearer(token), ...headers }, signal });
  }

  /** A whole answer. */
  async exported(token = ADMIN, path = EXPORT, headers: Readonly<Record<string, string>> = {}): Promise<Export> {
    const answer = await this.fetched(token, path, headers);
    const content = await answer.text();
    expect([answer.status, answer.headers.get('content-type'), answer.status === 200 ? '' : content]).toEqual([
      200,
      'application/jsonl',
      '',
    ]);
    return parsed(content);
  }

  sql(statement: string, values: readonly (string | number)[] = []): Promise<number> {
    return this.server.get(Database).write((tx) => tx.run(statement, values));
  }

  /** What is stored of a person without a request. */
  async storeRest(): Promise<void> {
    await sent(this.server, ADMIN, {
      ...{ method: 'PUT', path: '/admin/budgets' },
      body: { subject: 'user', name: PERSON, window: 'day', tokens: 1_000_000 },
    });
    // The person answers a question of somebody else.
    const pay = SAY['agent-api']?.('bobs-session', randomUUID(), 'Pay bobs-words');
    if (pay) await sent(this.server, BOB, pay);
    const reviewer = `${ALICE} approvals:decide data:tenant runs:read runs:write`;
    const { data } = (await sent(this.server, BOB, { method: 'GET', path: '/approvals' })) as {
      data: readonly { readonly id: string }[];
    };
    await sent(this.server, reviewer, {
      ...{ method: 'POST', path: `/approvals/${data[0]?.id}` },
      body: { approve: true, reason: 'fine' },
    });
    // Counted in the budget, which is newer than the first runs.
    await sent(this.server, ALICE, { method: 'POST', path: '/v1/responses', body: { model: 'worker', input: MARKER } });
    const said = [{ role: 'user', content: MARKER }];
    await sent(this.server, ALICE, {
      ...{ method: 'POST', path: '/v1/chat/completions' },
      body: { model: 'worker', store: true, metadata: { about: MARKER }, messages: said },
    });
    await this.server
      .get(ApiKeys)
      .create('acme', { account: 'phone', userId: PERSON, scopes: ['runs:read'] }, TEST_MANAGER);
    const byPerson = { ...TEST_MANAGER, name: `user:${PERSON}` };
    await this.server.get(ApiKeys).create('acme', { account: 'shop', userId: 'bob', scopes: ['runs:read'] }, byPerson);
    await this.sql(
      `INSERT INTO run_hooks (channel, tenant_id, user_id, root_run_id, id, format, url, secrets, created_at)
       VALUES ('a2a', 'acme', ?, 'root', 'hook', 'v1', 'https://example.com', 'hook-secret', 1)`,
      [PERSON],
    );
    await this.sql(
      `INSERT INTO outbox (hook_no, run_no, run_id, seq, status, due_at, created_at)
       VALUES ((SELECT MAX(no) FROM run_hooks), 1, 'root', 0, 'sent', 1, 1)`,
    );
    await this.sql(
      `INSERT INTO webhook_deliveries (id, webhook_no, tenant_id, type, user_id, body, status, created_at)
       VALUES ('delivery', 1, 'acme', 'run.completed', ?, '{"text":"${MARKER}"}', 'sent', 1)`,
      [PERSON],
    );
    await this.sql(
      `INSERT INTO usage_days (tenant_id, day, user_id, agent, account, model, runs, calls, input_tokens, cached_tokens,
         output_tokens, reasoning_tokens, estimated_tokens, cost)
       VALUES ('acme', '2020-01-01', ?, 'worker', '', 'm', 1, 1, 1, 0, 1, 0, 0, 0)`,
      [PERSON],
    );
  }

  /** Erases the person. Returns the counts of the receipt. */
  async erased(): Promise<Counts> {
    await sent(this.server, ADMIN, { method: 'DELETE', path: `/admin/users/${PERSON}` });
    return until(async () => {
      const path = `/admin/users/${PERSON}/erasure`;
      const receipt = (await sent(this.server, ADMIN, { method: 'GET', path })) as { status: string; counts: Counts };
      return receipt.status === 'done' && receipt.counts;
    });
  }
}
