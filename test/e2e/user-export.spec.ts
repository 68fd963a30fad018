import { randomUUID } from 'node:crypto';
import type { JsonObject } from '../../src/common/index.js';
import { type FoundRow, UserExporters, type UserTable } from '../../src/data-protection/index.js';
import { Database } from '../../src/database/index.js';
import { describeOnDatabases } from '../support/databases.js';
import { ADMIN, ALICE, BOB, EXPORT, ExportingServer, MARKER, parsed, PERSON } from '../support/exporting-server.js';
import { apiKey } from '../support/keys.js';
import { sent, storePerson } from '../support/stored-person.js';

const MARGARET = { tenantId: 'acme', userId: PERSON };

/** Everything that is stored of users, in the words of a receipt. */
const KINDS = [
  ...['sessions', 'messages', 'runs', 'events', 'steps', 'runMetadata', 'questions', 'answersOfOthers'],
  ...['attachments', 'attachmentBindings', 'settings', 'calendarEvents', 'schedules', 'webhookDeliveries'],
  ...['runHooks', 'pushDeliveries', 'keys', 'keysOfOthers', 'budgets', 'budgetCounters', 'usageEntries', 'usageDays'],
  ...['pseudonyms', 'auditContents', 'auditLines'],
];

describeOnDatabases('the export of a user', (open) => {
  const exporting = new ExportingServer();
  beforeEach(async () => {
    exporting.database = await open();
  });
  afterEach(() => exporting.close());

  it('has what an erasure removes and renames, all of it, and nothing of others; then there is nothing', async () => {
    await exporting.start();
    const image = await storePerson(exporting.server, ALICE, MARKER);
    await storePerson(exporting.server, BOB, 'bobs-words');
    await exporting.storeRest();
    const { head, lines, end, text: content } = await exporting.exported();
    expect(head).toMatchObject({ format: 'parley-user/1', tenant: 'acme', user: PERSON });
    const found = Object.fromEntries(KINDS.map((kind) => [kind, lines.filter((line) => line.kind === kind).length]));
    expect(Object.entries(found).filter(([, count]) => count === 0)).toEqual([]);
    expect(end).toMatchObject({ complete: true, rows: lines.length, unreadable: 0 });
    expect(end?.counts).toEqual(found);
    // The last line is the end.
    expect(content.trimEnd().split('\n').at(-1)).toContain('"complete":true');

    const texts = (kind: string): string => JSON.stringify(lines.filter((line) => line.kind === kind));
    for (const kind of [
      'messages',
      'runs',
      'events',
      'steps',
      'questions',
      'attachments',
      'calendarEvents',
      'schedules',
    ])
      expect([kind, texts(kind).includes(MARKER)]).toEqual([kind, true]);
    for (const kind of ['webhookDeliveries', 'auditContents']) expect(texts(kind)).toContain(MARKER);
    const others = ['bobs-words', 'bobs-payee', 'bobs-session', '"bob"', 'bob@', 'officer', 'hook-secret'];
    expect(others.filter((word) => content.includes(word))).toEqual([]);
    expect(texts('keys')).toContain('phone');
    expect(texts('keys')).not.toContain('hash');
    expect(texts('keysOfOthers')).not.toContain('shop');
    expect(texts('answersOfOthers')).toContain('approved');

    const [attachment] = lines.filter((line) => line.kind === 'attachments');
    const download = await fetch(attachment?.data['url'] as string);
    expect(Buffer.from(await download.arrayBuffer()).equals(image.bytes)).toBe(true);
    expect(texts('messages')).toContain(String(attachment?.data['reference'] as string));

    const counts = await exporting.erased();
    // The counts of a receipt are those of the export, by the same names.
    const receipt = Object.entries(counts).map(([kind, count]) => [kind.replace(/Kept$/, ''), count] as const);
    const differing = receipt.filter(([kind, count]) => end?.counts[kind] !== count);
    // Own answers are in the questions of the export.
    expect(differing.filter(([kind]) => kind !== 'answersOfOthers' && kind !== 'keysOfOthers')).toEqual([]);

    const after = await exporting.exported();
    expect([after.lines, after.end]).toMatchObject([[], { complete: true, rows: 0, counts: {} }]);
    // Nor does an export of nobody store a name.
    const named = 'SELECT COUNT(*) AS n FROM user_pseudonyms WHERE user_id = ?';
    expect(Number((await exporting.server.get(Database).read.all<{ n: number }>(named, [PERSON]))[0]?.n)).toBe(0);
  }, 120_000);

  it('knows every column of every table with data of users', async () => {
    await exporting.start();
    const tables: UserTable[] = [];
    // A row of each, so that what belongs to it is read too.
    async function* list(table: UserTable): AsyncGenerator<FoundRow, void, void> {
      tables.push(table);
      const decided = JSON.stringify({ actor: { kind: 'user', id: PERSON }, userId: PERSON, requestId: '' });
      yield { kind: table.kind, data: '{"a":1}', row: { no: 1, id: 'x', pseudonym: 'p', decided_by: decided } };
      await Promise.resolve();
    }
    for await (const row of exporting.server.get(UserExporters).exportUser({ user: MARGARET, list }))
      expect(row.kind).not.toBe('');
    const named = new Map<string, Set<string>>();
    for (const { from, key, members, leftOut = [] } of tables) {
      const [name = '', alias] = from.split(/\s+/);
      const columns = [...key, ...leftOut, ...Object.values(members).map((member) => [member].flat()[0] as string)];
      const own = alias === undefined || alias.length > 1 ? '' : `${alias}.`;
      const ofTable = columns.flatMap((column) => {
        if (!column.includes('.')) return [column];
        return own !== '' && column.startsWith(own) ? [column.slice(own.length)] : [];
      });
      named.set(name, new Set([...(named.get(name) ?? []), ...ofTable]));
    }
    const { entityMetadatas } = exporting.server.get(Database).read.manager.connection;
    const forgotten = entityMetadatas.flatMap(({ tableName, columns }) => {
      const names = columns.map(({ databaseName }) => databaseName);
      const known = named.get(tableName);
      if (!known) return names.includes('user_id') && tableName !== 'erase_jobs' ? [tableName] : [];
      return names.filter((name) => !known.has(name)).map((name) => `${tableName}.${name}`);
    });
    expect(forgotten).toEqual([]);
  });

  it('needs the scope, and of another tenant a user is as absent as one who never was', async () => {
    await exporting.start();
    await sent(exporting.server, ALICE, {
      method: 'POST',
      path: '/v1/responses',
      body: { model: 'worker', input: MARKER },
    });
    const foreign = ADMIN.replace('@acme', '@other');
    const shown = async (token: string, user: string): Promise<unknown> => {
      const { head, lines, end } = await exporting.exported(token, `/admin/users/${user}/export`);
      return [{ ...head, id: '', at: '', user: '' }, lines, { ...end, id: '', at: '' }];
    };
    expect(await shown(foreign, PERSON)).toEqual(await shown(foreign, 'nobody'));
    expect((await shown(foreign, PERSON)) as unknown[]).toMatchObject([{ tenant: 'other' }, [], { rows: 0 }]);
    for (const token of [ALICE, 'officer@acme admin:keys data:tenant runs:read'])
      expect((await exporting.fetched(token, EXPORT)).status).toBe(403);
    expect((await exporting.fetched(ADMIN, '/admin/users/%00/export')).status).toBe(400);
    const { data } = (await sent(exporting.server, foreign, {
      method: 'GET',
      path: '/audit?action=data.exported',
    })) as {
      data: readonly { readonly line: JsonObject; readonly users: JsonObject }[];
    };
    expect(data).toHaveLength(3);
    expect(JSON.stringify(data)).not.toContain(PERSON);
  });

  it('is told in the audit trail, with who was exported by whom', async () => {
    await exporting.start();
    await sent(exporting.server, ALICE, {
      method: 'POST',
      path: '/v1/responses',
      body: { model: 'worker', input: MARKER },
    });
    const { head } = await exporting.exported();
    const { data } = (await sent(exporting.server, ADMIN, { method: 'GET', path: '/audit?action=data.exported' })) as {
      data: readonly { readonly line: { readonly subject: { id: string } }; readonly users: JsonObject }[];
    };
    expect(data).toMatchObject([
      { line: { actor: { kind: 'user' }, subject: { kind: 'user' }, details: { export: head?.['id'], empty: false } } },
    ]);
    expect(data[0]?.users[data[0].line.subject.id]).toBe(PERSON);
  });

  it('a person gets the own one with any credential that acts for the person', async () => {
    await exporting.start({ AUTH: 'keys' }, []);
    const key = (scopes: readonly string[], user?: string): Promise<string> =>
      apiKey(exporting.server, {
        account: `a-${randomUUID().slice(0, 8)}`,
        scopes: [...scopes],
        ...(user !== undefined && { user }),
      });
    const own = await key(['runs:write', 'runs:read'], 'margaret');
    await sent(exporting.server, own, {
      method: 'POST',
      path: '/v1/responses',
      body: { model: 'worker', input: MARKER },
    });
    const me = '/api/v1/users/me/export';
    for (const [token, headers] of [
      [own, {}],
      [own, { 'x-user-id': 'margaret' }],
      [await key(['runs:read', 'users:*']), { 'x-user-id': 'margaret' }],
    ] as const) {
      const { head, text: content, end } = await exporting.exported(token, me, headers);
      expect([head?.['user'], content.includes(MARKER), end?.complete]).toEqual(['margaret', true, true]);
    }
    expect((await exporting.exported(await key(['runs:read', 'users:*']), `${me}?user_id=margaret`)).text).toContain(
      MARKER,
    );
    const unnamed = await exporting.fetched(await key(['runs:read', 'users:*']), me);
    expect([unnamed.status, await unnamed.json()]).toMatchObject([
      400,
      { code: 'MISSING_PARAMETER', message: expect.stringContaining('acts for no user') },
    ]);
    expect((await exporting.fetched(own, me, { 'x-user-id': 'bob' })).status).toBe(403);
    expect((await exporting.fetched(await key(['runs:write'], 'margaret'), me)).status).toBe(403);
    // Another user of the tenant sees nothing of it.
    const other = await exporting.exported(await key(['runs:read'], 'bob'), me);
    expect(other.text).not.toContain(MARKER);
    expect(other.end?.counts['sessions']).toBeUndefined();
  });

  it('without authentication a request has to say who it is', async () => {
    await exporting.start({}, []);
    const unnamed = await fetch(`${exporting.server.url}/api/v1/users/me/export`);
    expect(unnamed.status).toBe(400);
    const body = JSON.stringify({ model: 'worker', input: MARKER, user: 'margaret' });
    await fetch(`${exporting.server.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const named = await fetch(`${exporting.server.url}/api/v1/users/me/export`, {
      headers: { 'x-user-id': 'margaret' },
    });
    const { lines, end } = parsed(await named.text());
    expect([lines.length > 3, end?.complete]).toEqual([true, true]);
  });
});
