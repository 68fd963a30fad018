import { AuditChains } from '../../src/audit/ports/audit-chains.js';
import { AuditRetention } from '../../src/audit/audit-upkeep.js';
import { AuditSealer, AuditTrail } from '../../src/audit/index.js';
import { TenantRetentions, Tenants } from '../../src/access/index.js';
import { AttachmentService } from '../../src/agent/attachment/index.js';
import { SessionCleaners } from '../../src/agent/session/index.js';
import { Chores } from '../../src/chores/index.js';
import { SERVER_ORIGIN } from '../../src/common/index.js';
import { Database } from '../../src/database/index.js';
import { Runs } from '../../src/run/index.js';
import { RunRetention } from '../../src/run/end/prune-runs.js';
import { ConversationRetention } from '../../src/run/end/conversation-retention.js';
import { IdleSessions } from '../../src/run/ports/idle-sessions.js';
import { RemoveRuns } from '../../src/run/end/remove-runs.js';
import { UsageChore } from '../../src/usage/usage-chores.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { png } from '../support/images.js';
import { codeOf, nextId, person, runRequest } from '../support/ledger.js';
import { type ServerOptions, startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

const DAY = 24 * 3_600_000;
const PNG = { bytes: png(), filename: 'a.png', declaredType: 'image/png' };
const NEVER = new AbortController().signal;
/** What a session consists of. */
const CONTENTS = ['sessions', 'messages', 'runs', 'run_event_chunks', 'interrupts', 'attachment_bindings'];

describeOnDatabases('what is kept for a time', (open) => {
  let database: TestDatabase;
  let servers: TestServer[];

  beforeEach(async () => {
    database = await open();
    servers = [];
  });
  afterEach(async () => {
    for (const server of servers) await server.close();
    await database.drop();
  });

  /** A server that works on no chores by itself. */
  async function start(env: ServerOptions['env'] = {}): Promise<TestServer> {
    const server = await startServer({ database, env: { USAGE: 'always', ...env }, listen: false });
    servers.push(server);
    await server.get(Chores).onModuleDestroy();
    return server;
  }

  function sql(): Database {
    const [server] = servers;
    if (!server) throw new Error('no server was started');
    return server.get(Database);
  }

  async function rows<Row>(text: string, values: readonly (string | number)[] = []): Promise<readonly Row[]> {
    return sql().read.all<Row>(text, values);
  }

  async function count(table: string): Promise<number> {
    const [row] = await rows<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`);
    return Number(row?.n);
  }

  async function change(text: string, values: readonly (string | number)[] = []): Promise<void> {
    await sql().write((tx) => tx.run(text, [...values]));
  }

  /** A run of a session, to its end. Returns its session. */
  async function talk(tenantId: string, overrides: Parameters<typeof runRequest>[0] = {}): Promise<string> {
    const sessionId = overrides.sessionId ?? nextId('session');
    const request = runRequest({ principal: person('alice', tenantId), runId: nextId('run'), ...overrides, sessionId });
    const runs = servers[0]?.get(Runs);
    const { run } = (await runs?.accept(request)) ?? {};
    if (!run || !runs) throw new Error('no run was accepted');
    await until(async () => (await runs.view({ ...person('alice', tenantId) }, run.runId)).state === 'completed');
    return sessionId;
  }

  /** Everything that is stored of sessions and runs becomes older. */
  async function age(days: number, sessionId?: string): Promise<void> {
    const where = sessionId === undefined ? '' : ` WHERE {id} = '${sessionId}'`;
    await change(`UPDATE sessions SET updated_at = updated_at - ?${where.replace('{id}', 'id')}`, [days * DAY]);
    await change(
      `UPDATE runs SET finished_at = finished_at - ?, created_at = created_at - ?${where.replace('{id}', 'session_id')}`,
      [days * DAY, days * DAY],
    );
  }

  async function sessions(): Promise<readonly string[]> {
    return (await rows<{ id: string }>('SELECT id FROM sessions ORDER BY no')).map(({ id }) => id);
  }

  /** What the audit trail tells of removed conversations: tenant, actor, session, and why. */
  async function removals(): Promise<readonly unknown[]> {
    const lines = await rows<{ tenant: string; actor_id: string; subject_id: string; details: string }>(
      `SELECT tenant_id AS tenant, actor_id, subject_id, details FROM audit_lines WHERE action = 'thread.deleted' ORDER BY no`,
    );
    return lines.map((line) => [line.tenant, line.actor_id, line.subject_id, line.details]);
  }

  describe('conversations', () => {
    it('are kept unless a time is set', async () => {
      const server = await start();
      const id = await talk('default');
      await age(3000);
      expect(await server.get(ConversationRetention).removeAll()).toBe(0);
      expect(await sessions()).toEqual([id]);
    });

    it('are removed with all their contents after their last activity, and the audit trail tells of it', async () => {
      const server = await start({ CONVERSATION_RETENTION: '30d' });
      const { attachment } = await server.get(AttachmentService).upload(person('alice'), PNG);
      const old = await talk('default');
      const young = await talk('default');
      const [row] = await rows<{ no: number }>('SELECT no FROM sessions WHERE id = ?', [old]);
      await change('INSERT INTO attachment_bindings (session_no, attachment_id) VALUES (?, ?)', [
        row?.no ?? 0,
        attachment.id,
      ]);
      await change('UPDATE attachments SET delete_after = NULL');
      await age(29);
      expect(await server.get(ConversationRetention).removeAll()).toBe(0);
      await age(2, old);
      expect(await server.get(ConversationRetention).removeAll()).toBe(1);
      expect(await sessions()).toEqual([young]);
      expect(await removals()).toEqual([['default', 'parley', old, '{"cause":"retention"}']]);
      // Nobody refers to the file any more, so the chore of uploads deletes it.
      expect(await rows('SELECT id FROM attachments WHERE delete_after IS NULL')).toEqual([]);
      await age(2, young);
      expect(await server.get(ConversationRetention).removeAll()).toBe(1);
      for (const table of CONTENTS) expect([table, await count(table)]).toEqual([table, 0]);
      // What was spent outlives its conversation.
      expect(await count('usage_entries')).toBe(2);
    });

    it('are removed next to one that cannot be removed', async () => {
      const server = await start({ CONVERSATION_RETENTION: '30d' });
      const [kept] = [await talk('default'), await talk('default')];
      server.get(SessionCleaners).register({
        cleanSession: (_tx, { sessionId }) =>
          sessionId === kept ? Promise.reject(new Error('It cannot be cleaned')) : Promise.resolve(undefined),
      });
      await age(31);
      await expect(server.get(ConversationRetention).removeAll()).rejects.toThrow('It cannot be cleaned');
      expect(await sessions()).toEqual([kept]);
    });

    it('are kept while a run waits or is executed, a question is open, or a run has ended lately', async () => {
      const server = await start({ CONVERSATION_RETENTION: '30d' });
      const ids: string[] = [];
      for (let index = 0; index < 5; index += 1) ids.push(await talk('default'));
      await age(31);
      const [queued, running, asking, ended, idle] = ids;
      const held = `lease_owner = 'another', lease_until = 9000000000000, finished_at = NULL`;
      await change(`UPDATE runs SET status = 'running', ${held} WHERE session_id = ?`, [running ?? '']);
      await change(`UPDATE runs SET status = 'queued', finished_at = NULL WHERE session_id = ?`, [queued ?? '']);
      await change('UPDATE runs SET finished_at = ? WHERE session_id = ?', [Date.now(), ended ?? '']);
      await change(
        `INSERT INTO interrupts (id, tenant_id, user_id, session_no, session_id, run_no, run_id, root_run_no,
           waiting_run_no, kind, status, created_at)
         SELECT 'i', tenant_id, user_id, session_no, session_id, no, id, no, no, 'input', 'pending', created_at
         FROM runs WHERE session_id = ?`,
        [asking ?? ''],
      );
      expect(await server.get(ConversationRetention).removeAll()).toBe(1);
      expect(await sessions()).toEqual(ids.filter((id) => id !== idle));
      await change(`UPDATE interrupts SET status = 'expired'`);
      expect(await server.get(ConversationRetention).removeAll()).toBe(1);
      expect(await sessions()).toEqual([queued, running, ended]);
      await change('UPDATE runs SET finished_at = 1, status = ? WHERE finished_at IS NULL', ['failed']);
    });

    it('are kept if something happens between the search and the removal', async () => {
      const server = await start({ CONVERSATION_RETENTION: '30d' });
      const id = await talk('default');
      await age(31);
      const idle = server.get(IdleSessions);
      const before = Date.now() - 30 * DAY;
      const [found] = await idle.find({ tenantId: 'default', before, limit: 10 });
      if (!found) throw new Error('the session is not idle');
      await talk('default', { sessionId: id });
      const remove = (): Promise<boolean> =>
        server.get(RemoveRuns).removeIdle(found, (tx) => idle.isIdle(tx, found.rowId, before));
      expect(await remove()).toBe(false);
      expect([await sessions(), await removals()]).toEqual([[id], []]);
      await age(31);
      expect([await remove(), await remove()]).toEqual([true, false]);
      expect([await sessions(), (await removals()).length]).toEqual([[], 1]);
    });

    it('are found although no list shows them', async () => {
      const server = await start({ CONVERSATION_RETENTION: '1h' });
      await talk('default');
      await change('UPDATE sessions SET unlisted = 1');
      await age(1);
      expect(await server.get(ConversationRetention).removeAll()).toBe(1);
    });

    it('are removed once by two processes at the same time, more of them than one search finds', async () => {
      const server = await start({ CONVERSATION_RETENTION: '30d' });
      const other = await start({ CONVERSATION_RETENTION: '30d' });
      await talk('default');
      const columns = 'tenant_id, user_id, state, run_count, message_count, created_at, updated_at';
      const values = Array.from({ length: 450 }, (_, index) => `('default', 'bob', '{}', 1, 0, 1, 1, 'old-${index}')`);
      await change(`INSERT INTO sessions (${columns}, id) VALUES ${values.join(', ')}`);
      const counts = await Promise.all([server, other].map((one) => one.get(ConversationRetention).removeAll()));
      expect(counts.reduce((sum, one) => sum + one, 0)).toBe(450);
      const subjects = (await removals()).map((line) => (line as string[])[2]);
      expect([subjects.length, new Set(subjects).size]).toEqual([450, 450]);
      expect(await count('sessions')).toBe(1);
    });
  });

  describe('a tenant with times of its own', () => {
    async function tenants(server: TestServer, periods: object): Promise<void> {
      for (const id of ['acme', 'other']) await server.get(Tenants).create(id, SERVER_ORIGIN);
      await server.get(TenantRetentions).replace('acme', periods, SERVER_ORIGIN);
    }

    it('keeps conversations for its own time', async () => {
      const server = await start({ CONVERSATION_RETENTION: '30d' });
      await tenants(server, { conversations: '5d' });
      const ids = { acme: await talk('acme'), other: await talk('other') };
      await age(6);
      await server.get(ConversationRetention).removeAll();
      expect(await sessions()).toEqual([ids.other]);
      await server.get(TenantRetentions).replace('other', { conversations: 'off' }, SERVER_ORIGIN);
      await age(3000);
      await server.get(ConversationRetention).removeAll();
      expect(await sessions()).toEqual([ids.other]);
      await server.get(TenantRetentions).replace('other', {}, SERVER_ORIGIN);
      await server.get(ConversationRetention).removeAll();
      expect(await sessions()).toEqual([]);
    });

    it('keeps events for its own time', async () => {
      const server = await start();
      await tenants(server, { events: '30d' });
      for (const tenant of ['acme', 'other', 'default']) await talk(tenant);
      await server.get(TenantRetentions).replace('other', { events: '1h' }, SERVER_ORIGIN);
      const pruned = async (): Promise<readonly string[]> => {
        await server.get(RunRetention).pruneAll();
        const found = 'SELECT tenant_id AS id FROM runs WHERE events_pruned_at IS NOT NULL ORDER BY no';
        return (await rows<{ id: string }>(found)).map(({ id }) => id);
      };
      await age(1);
      expect(await pruned()).toEqual(['other']);
      await age(7);
      expect(await pruned()).toEqual(['other', 'default']);
      await age(23);
      expect(await pruned()).toEqual(['acme', 'other', 'default']);
    });

    it('keeps entries of calls for its own time', async () => {
      const server = await start();
      await tenants(server, { usage: '50d' });
      for (const tenant of ['acme', 'other']) await talk(tenant);
      const compacted = async (days: number): Promise<readonly string[]> => {
        await change('UPDATE usage_entries SET at = at - ?', [days * DAY]);
        await server.get(UsageChore).work(NEVER);
        const found = 'SELECT DISTINCT tenant_id AS id FROM usage_days ORDER BY tenant_id';
        return (await rows<{ id: string }>(found)).map(({ id }) => id);
      };
      expect(await compacted(49)).toEqual([]);
      expect(await compacted(2)).toEqual(['acme']);
      expect(await compacted(350)).toEqual(['acme', 'other']);
    });

    it('keeps its audit trail for its own time', async () => {
      const server = await start();
      const at = Date.now() - 101 * DAY;
      for (const tenantId of ['acme', 'other']) {
        const act = { tenantId, action: 'tenant.changed', by: SERVER_ORIGIN, at } as const;
        await server.get(AuditTrail).record(act, act);
      }
      await tenants(server, { audit: '100d' });
      await server.get(AuditSealer).seal();
      await server.get(AuditRetention).work(NEVER);
      const pruned = async (tenantId: string): Promise<number | undefined> =>
        (await server.get(AuditChains).ofTenant(tenantId))?.pruned?.seq;
      expect([await pruned('acme'), await pruned('other')]).toEqual([2, undefined]);
    });

    it('keeps uploads for its own time', async () => {
      const server = await start();
      await tenants(server, { uploads: '10m' });
      const kept = async (tenant: string): Promise<number> => {
        const { attachment } = await server.get(AttachmentService).upload(person('alice', tenant), PNG);
        return Number(attachment.deleteAfter) - attachment.createdAt;
      };
      expect([await kept('acme'), await kept('other')]).toEqual([600_000, DAY]);
    });

    it('keeps everything of a kind whose stored time cannot be read', async () => {
      const server = await start({ CONVERSATION_RETENTION: '1h' });
      await tenants(server, {});
      await talk('acme');
      await change(`UPDATE tenants SET settings = ? WHERE id = 'acme'`, [
        '{"retention":{"events":7,"conversations":"x"}}',
      ]);
      await age(3000);
      await server.get(RunRetention).pruneAll();
      await server.get(ConversationRetention).removeAll();
      expect(await rows('SELECT 1 AS yes FROM runs WHERE events_pruned_at IS NOT NULL')).toEqual([]);
      await change(`UPDATE tenants SET settings = ? WHERE id = 'acme'`, ['{"retention":7}']);
      await server.get(ConversationRetention).removeAll();
      expect(await count('sessions')).toBe(1);
    });

    it('refuses times that are none, and changes nothing', async () => {
      const server = await start();
      await tenants(server, { events: '30d' });
      const periods = server.get(TenantRetentions);
      for (const wrong of [
        ...[null, [], 'off', { event: '1d' }, { events: 7 }, { events: '30m' }, { events: 'off' }],
        ...[{ audit: '89d' }, { usage: '39d' }, { conversations: '59m' }, { uploads: '366d' }, { events: '1d ago' }],
      ]) {
        expect([wrong, await codeOf(periods.replace('acme', wrong, SERVER_ORIGIN))]).toEqual([
          wrong,
          'INVALID_PARAMETER',
        ]);
      }
      expect(await periods.read('acme')).toEqual({ events: '30d' });
      expect(await codeOf(periods.read('nobody'))).toBe('TENANT_NOT_FOUND');
      expect(await codeOf(periods.replace('nobody', {}, SERVER_ORIGIN))).toBe('TENANT_NOT_FOUND');
    });
  });
});
