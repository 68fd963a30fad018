import { get } from 'node:http';
import { Tenants } from '../../src/access/index.js';
import { RETRY_AFTER_SECONDS, SERVER_ORIGIN } from '../../src/common/index.js';
import { UserExporters, UserExports } from '../../src/data-protection/index.js';
import { MOST_EXPORTS } from '../../src/data-protection/open-exports.js';
import { Database } from '../../src/database/index.js';
import { describeOnDatabases } from '../support/databases.js';
import { ADMIN, ALICE, BOB, EXPORT, ExportingServer, MARKER, parsed, PERSON } from '../support/exporting-server.js';
import { bearer } from '../support/keys.js';
import { sent, storePerson } from '../support/stored-person.js';
import { until } from '../support/until.js';

const MARGARET = { tenantId: 'acme', userId: PERSON };

describeOnDatabases('an export while something goes wrong', (open) => {
  const exporting = new ExportingServer();
  beforeEach(async () => {
    exporting.database = await open();
  });
  afterEach(() => exporting.close());

  /** A run of the person. */
  function say(words = MARKER): Promise<unknown> {
    const body = { model: 'worker', input: words };
    return sent(exporting.server, ALICE, { method: 'POST', path: '/v1/responses', body });
  }

  function begun(user = MARGARET): Promise<AsyncIterable<Buffer>> {
    return exporting.server.get(UserExports).begin(user, SERVER_ORIGIN);
  }

  async function textOf(pieces: AsyncIterable<Buffer>): Promise<string> {
    let text = '';
    for await (const piece of pieces) text += piece.toString();
    return text;
  }

  it('has no end when its tenant is renamed meanwhile, also if it has its id again', async () => {
    await exporting.start();
    await say();
    const tenants = exporting.server.get(Tenants);
    const first = await begun();
    await tenants.rename('acme', 'moved', SERVER_ORIGIN);
    await expect(textOf(first)).rejects.toThrow('renamed or changed meanwhile');
    await expect(begun()).rejects.toMatchObject({ code: 'TENANT_NOT_FOUND' });
    const second = await begun({ tenantId: 'moved', userId: PERSON });
    await tenants.create('acme', SERVER_ORIGIN);
    expect(parsed(await textOf(second)).end?.complete).toBe(true);
    const third = await begun({ tenantId: 'moved', userId: PERSON });
    await tenants.rename('moved', 'elsewhere', SERVER_ORIGIN);
    await tenants.rename('elsewhere', 'moved', SERVER_ORIGIN);
    await expect(textOf(third)).rejects.toThrow('renamed or changed meanwhile');
  });

  it('is the only one of its user, and one of few, until it is read or left', async () => {
    await exporting.start();
    await say();
    const open = await begun();
    const refused = await exporting.fetched(ADMIN, EXPORT);
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toMatchObject([
      429,
      String(RETRY_AFTER_SECONDS),
      { code: 'RATE_LIMIT_EXCEEDED', message: expect.stringContaining('this user') },
    ]);
    const others = await Promise.all(
      Array.from({ length: MOST_EXPORTS - 1 }, (_, index) => begun({ tenantId: 'acme', userId: `other-${index}` })),
    );
    await expect(begun({ tenantId: 'other', userId: PERSON })).rejects.toMatchObject({
      code: 'RATE_LIMIT_EXCEEDED',
      message: expect.stringContaining('at once'),
    });
    // One is read, one is left before it has begun, one later.
    expect(parsed(await textOf(open)).end?.complete).toBe(true);
    const [first, second, third] = others;
    await first?.[Symbol.asyncIterator]().return?.();
    for await (const piece of second ?? []) if (piece.length > 0) break;
    expect((await exporting.exported()).end?.complete).toBe(true);
    await third?.[Symbol.asyncIterator]().return?.();
    const failing = await begun();
    await exporting.server.get(Tenants).rename('acme', 'moved', SERVER_ORIGIN);
    await expect(textOf(failing)).rejects.toThrow();
    await expect(begun()).rejects.toMatchObject({ code: 'TENANT_NOT_FOUND' });
    await expect(begun()).rejects.toMatchObject({ code: 'TENANT_NOT_FOUND' });
  });

  it('reads nothing on the connections that are kept for leases and runs', async () => {
    await exporting.start();
    await say();
    const { forRuns, read } = exporting.server.get(Database);
    // SQLite has one connection for all reads.
    if (exporting.database.kind === 'sqlite') return expect(forRuns.read).toBe(read);
    const kept = jest.spyOn(forRuns.read, 'all');
    const prompt = jest.spyOn(read, 'all');
    expect((await exporting.exported()).end?.complete).toBe(true);
    const ofTables = (spy: typeof kept): number =>
      spy.mock.calls.filter(([sql]) => sql.startsWith('SELECT') && sql.includes(' AS "')).length;
    expect([ofTables(kept), ofTables(prompt) > 10]).toEqual([0, true]);
  });

  it('tells which events cannot be decrypted, and has those before and after them', async () => {
    await exporting.start({ DATA_ENCRYPTION_KEYS: 'first:a-secret-of-the-first-key' });
    await say();
    const [run] = await exporting.server.get(Database).read.all<{ no: number }>('SELECT MAX(no) AS no FROM runs');
    const runRowId = Number(run?.no);
    await exporting.sql('UPDATE runs SET compacted_at = 1 WHERE no = ?', [runRowId]);
    await exporting.sql('DELETE FROM run_event_chunks WHERE run_no = ?', [runRowId]);
    const sealed = 'sealed:1:0123456789abcdef.AAAA';
    for (const [first, count, body] of [
      [0, 2, '{"object":"custom","n":0}\n{"object":"custom","n":1}'],
      [2, 3, sealed],
      [5, 1, '{"object":"custom","n":5}'],
      [6, 1, sealed],
      [7, 1, '{"object":"custom","n":7}'],
    ] as const)
      await exporting.sql(
        'INSERT INTO run_event_chunks (run_no, first_seq, event_count, body, created_at) VALUES (?, ?, ?, ?, 1)',
        [runRowId, first, count, body],
      );
    const { lines, end } = await exporting.exported();
    const events = lines.filter(({ kind }) => kind === 'events');
    expect(events.map(({ unreadable, data }) => (unreadable ? [data['fromSeq'], data['toSeq']] : data['seq']))).toEqual(
      [0, 1, [2, 4], 5, [6, 6], 7],
    );
    expect([end?.complete, end?.unreadable]).toEqual([true, 2]);
  });

  it('is cut when its reader takes nothing for too long, and can be fetched again then', async () => {
    await exporting.start({ SLOW_READER_TIMEOUT_MS: '1000' });
    await say();
    const { server } = exporting;
    let made = 0;
    let isLeft = false;
    server.get(UserExporters).register({
      async *exportUser() {
        try {
          // More than all buffers on the way hold.
          for (; made < 32; made += 1) yield { kind: 'notes', data: { text: 'x'.repeat(1_048_576) } };
          await Promise.resolve();
        } finally {
          isLeft = true;
        }
      },
    });
    const idle = get(server.url + EXPORT, { headers: bearer(ADMIN) });
    const ended = new Promise<string>((resolve) => {
      idle.on('error', () => resolve('cut'));
      idle.on('response', (answer) => {
        answer.pause();
        void until(() => isLeft).then(() => {
          answer.on('error', () => resolve('cut')).on('end', () => resolve('whole'));
          answer.resume();
        });
      });
    });
    expect(await ended).toBe('cut');
    expect(made).toBeLessThan(32);
    made = 0;
    const { lines, end } = await exporting.exported();
    expect([lines.filter(({ kind }) => kind === 'notes').length, end?.complete]).toEqual([32, true]);
  }, 60_000);

  it('is not begun by HEAD, nor is one of the audit trail: nothing tells of them', async () => {
    await exporting.start();
    await say();
    const { server } = exporting;
    const own = '/api/v1/users/me/export';
    const told = async (): Promise<unknown> => {
      const actions = ['data.exported', 'audit.exported'].map(async (action) => {
        const path = `/audit?action=${action}`;
        return ((await sent(server, ADMIN, { method: 'GET', path })) as { data: readonly unknown[] }).data.length;
      });
      return Promise.all(actions);
    };
    for (const path of [EXPORT, own, '/audit/export']) {
      const answer = await fetch(server.url + path, { method: 'HEAD', headers: bearer(ADMIN) });
      const { headers } = answer;
      expect([answer.status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
        200,
        'application/jsonl',
        expect.stringContaining('attachment'),
      ]);
    }
    expect(await told()).toEqual([0, 0]);
    for (const path of [EXPORT, own, '/audit/export']) await (await exporting.fetched(ADMIN, path)).text();
    expect(await told()).toEqual([2, 1]);
  });

  it('has when a webhook was tried and its status, but not what the receiver answered', async () => {
    await exporting.start();
    const log = JSON.stringify([{ at: 0, status: 500, durationMs: 12, text: 'what the receiver answered' }]);
    await exporting.sql(
      `INSERT INTO webhook_deliveries (id, webhook_no, tenant_id, type, user_id, body, status, attempt_log, created_at, ended_at)
       VALUES ('delivery', 1, 'acme', 'run.completed', ?, '{}', 'sent', ?, ?, ?)`,
      [PERSON, log, Date.now(), Date.now()],
    );
    const { lines, text } = await exporting.exported(`${ALICE} runs:read`, '/api/v1/users/me/export');
    expect(lines.find(({ kind }) => kind === 'webhookDeliveries')?.data['attemptLog']).toEqual([
      { at: '1970-01-01T00:00:00.000Z', status: 500, durationMs: 12 },
    ]);
    expect(text).not.toContain('answered');
  });

  it('reads few rows at a time if they are large, and all of them', async () => {
    await exporting.start();
    for (let count = 0; count < 12; count += 1)
      await exporting.sql(
        `INSERT INTO webhook_deliveries (id, webhook_no, tenant_id, type, user_id, body, status, created_at, ended_at)
         VALUES (?, 1, 'acme', 'run.completed', ?, ?, 'sent', ?, ?)`,
        [
          ...[`delivery-${count}`, PERSON, JSON.stringify({ text: 'x'.repeat(count === 4 ? 3_000_000 : 300_000) })],
          ...[Date.now(), Date.now()],
        ],
      );
    const reads = jest.spyOn(exporting.server.get(Database).read, 'all');
    const { end } = await exporting.exported();
    expect([end?.complete, end?.counts['webhookDeliveries']]).toEqual([true, 12]);
    const pages = reads.mock.calls.flatMap(([sql], index) =>
      sql.includes(' AS "body"') && sql.includes('FROM webhook_deliveries')
        ? [reads.mock.results[index]?.value as Promise<unknown[]>]
        : [],
    );
    expect((await Promise.all(pages)).map((rows) => rows.length)).toEqual([3, 1, 1, 3, 3, 1]);
  });

  it('has addresses of attachments and references to them from before its tenant was renamed', async () => {
    await exporting.start();
    const image = await storePerson(exporting.server, ALICE, MARKER);
    await storePerson(exporting.server, BOB, 'bobs-words');
    await exporting.server.get(Tenants).rename('acme', 'moved', SERVER_ORIGIN);
    const admin = ADMIN.replace('@acme', '@moved');
    const { lines, text } = await exporting.exported(admin);
    const [attachment, ...more] = lines.filter(({ kind }) => kind === 'attachments');
    expect(more).toEqual([]);
    const download = await fetch(attachment?.data['url'] as string);
    expect(Buffer.from(await download.arrayBuffer()).equals(image.bytes)).toBe(true);
    const messages = JSON.stringify(lines.filter(({ kind }) => kind === 'messages'));
    expect(messages).toContain(String(attachment?.data['reference'] as string));
    expect(text).not.toContain('/bob/');
    const listed = (await sent(exporting.server, ALICE.replace('@acme', '@moved'), {
      method: 'GET',
      path: '/api/v1/attachments',
    })) as { data: readonly { readonly url: string }[] };
    expect((await fetch(listed.data[0]?.url ?? '')).status).toBe(200);
  });
});
