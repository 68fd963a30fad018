import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCli } from '../../src/cli/index.js';
import { SERVER_ORIGIN } from '../../src/common/index.js';
import { SqlUserRows } from '../../src/data-protection/adapters/user-rows.sql.js';
import { UserCleaners, UserExports } from '../../src/data-protection/index.js';
import { Database } from '../../src/database/index.js';
import { RunLog } from '../../src/run/ports/run-log.js';
import { describeOnDatabases } from '../support/databases.js';
import { ADMIN, ALICE, EXPORT, ExportingServer, MARKER, parsed, PERSON } from '../support/exporting-server.js';
import { bearer } from '../support/keys.js';
import { sent, storePerson } from '../support/stored-person.js';
import { until } from '../support/until.js';

const MARGARET = { tenantId: 'acme', userId: PERSON };
const KEYS = 'first:a-secret-of-the-first-key';

describeOnDatabases('an export of much, of what is encrypted, and by a command', (open) => {
  const exporting = new ExportingServer();
  beforeEach(async () => {
    exporting.database = await open();
  });
  afterEach(() => exporting.close());

  describe('of a long log', () => {
    const EVENTS = 12_000;
    const words = 'x'.repeat(4000);

    /** Events of a run that has ended, hundreds of which are one row. */
    async function storeEvents(): Promise<void> {
      await sent(exporting.server, ALICE, {
        method: 'POST',
        path: '/v1/responses',
        body: { model: 'worker', input: MARKER },
      });
      const [run] = await exporting.server.get(Database).read.all<{ no: number }>('SELECT MAX(no) AS no FROM runs');
      const runRowId = Number(run?.no);
      const insert =
        'INSERT INTO run_event_chunks (run_no, first_seq, event_count, body, created_at) VALUES (?, ?, ?, ?, 1)';
      await exporting.sql('DELETE FROM run_event_chunks WHERE run_no = ?', [runRowId]);
      for (let first = 0; first < EVENTS; first += 100) {
        const events = Array.from(
          { length: 100 },
          (_, index) => `{"object":"custom","n":${first + index},"text":"${words}"}`,
        );
        await exporting.sql(insert, [runRowId, first, 100, events.join('\n')]);
      }
    }

    it('is read as fast as its reader takes it, and can be fetched again after a cut', async () => {
      await exporting.start();
      await storeEvents();
      const reads = jest.spyOn(exporting.server.get(RunLog), 'readChunk');
      let taken = 0;
      for await (const piece of await exporting.server.get(UserExports).begin(MARGARET, SERVER_ORIGIN)) {
        // A piece is at most one batch, and the line that filled it.
        expect(piece.length).toBeLessThan(80_000);
        if ((taken += 1) === 3) break;
      }
      expect(reads.mock.calls.length).toBeLessThanOrEqual(2);
      reads.mockRestore();
      const cut = await new Promise<string>((resolve, reject) => {
        const request = get(exporting.server.url + EXPORT, { headers: bearer(ADMIN) }, (answer) => {
          answer.once('data', (bytes: Buffer) => {
            request.destroy();
            resolve(bytes.toString());
          });
        });
        request.on('error', reject);
      });
      expect([cut.includes('parley-user/1'), parsed(cut).end]).toEqual([true, undefined]);
      // Until the server has noticed that its reader is gone, the export is open.
      const { lines, end } = await until(() => exporting.exported());
      const numbers = lines.filter(({ kind }) => kind === 'events').map(({ data }) => data['seq']);
      expect(numbers).toEqual(Array.from({ length: EVENTS }, (_, index) => index));
      expect(end?.counts['events']).toBe(EVENTS);
      expect((await exporting.exported()).end?.counts['events']).toBe(EVENTS);
    }, 120_000);

    it('has no end when the user is erased meanwhile, and does not begin before that is over', async () => {
      await exporting.start();
      await storeEvents();
      let goOn = (): void => undefined;
      const gate = new Promise<void>((resolve) => (goOn = resolve));
      exporting.server.get(UserCleaners).register({ cleanUser: () => gate });
      const pieces = (await exporting.server.get(UserExports).begin(MARGARET, SERVER_ORIGIN))[Symbol.asyncIterator]();
      await pieces.next();
      await sent(exporting.server, ADMIN, { method: 'DELETE', path: `/admin/users/${PERSON}` });
      await expect(
        (async () => {
          for (let next = await pieces.next(); next.done !== true; next = await pieces.next());
        })(),
      ).rejects.toThrow('erased meanwhile');
      expect((await exporting.fetched(ADMIN, EXPORT)).status).toBe(409);
      goOn();
      await exporting.erased();
      expect((await exporting.exported()).lines).toEqual([]);
    }, 120_000);
  });

  it('has the content in the clear where it is encrypted, and says what cannot be decrypted', async () => {
    await exporting.start({ DATA_ENCRYPTION_KEYS: KEYS });
    await storePerson(exporting.server, ALICE, MARKER);
    const { lines, end } = await exporting.exported();
    expect(end?.unreadable).toBe(0);
    for (const kind of ['messages', 'runs', 'events', 'steps', 'questions', 'schedules', 'auditContents']) {
      const content = JSON.stringify(lines.filter((line) => line.kind === kind));
      expect([kind, content.includes(MARKER), content.includes('sealed:')]).toEqual([kind, true, false]);
    }
    await exporting.sql(`UPDATE messages SET body = 'sealed:1:0123456789abcdef.AAAA' WHERE seq = 1`);
    const after = await exporting.exported();
    const lost = after.lines.filter(({ unreadable }) => unreadable === true);
    expect(lost.length).toBeGreaterThan(0);
    expect(lost[0]).toMatchObject({ kind: 'messages', data: { message: null } });
    expect([after.end?.unreadable, after.end?.counts['messages']]).toEqual([lost.length, end?.counts['messages']]);
  }, 120_000);

  it('is written at the command line, with the same things', async () => {
    await exporting.start();
    await storePerson(exporting.server, ALICE, MARKER);
    await exporting.storeRest();
    const run = async (...args: readonly string[]): Promise<{ code: number; out: string; notes: string }> => {
      const output = { out: '', notes: '' };
      const terminal = {
        out: (line: string) => (output.out += `${line}\n`),
        note: (line: string) => (output.notes += `${line}\n`),
        input: () => Promise.resolve(''),
      };
      const env = { ...exporting.database.env, PORT: String(exporting.server.port) };
      return { code: await runCli(['data', 'export', ...args], env, terminal), ...output };
    };
    const overHttp = await exporting.exported();
    const { code, out } = await run(PERSON, '--tenant', 'acme');
    const written = parsed(out);
    // Each export is a line of the trail, which the next one has.
    const auditLines = (overHttp.end?.counts['auditLines'] ?? 0) + 1;
    expect([code, written.end?.counts]).toEqual([0, { ...overHttp.end?.counts, auditLines }]);
    const attachment = written.lines.find(({ kind }) => kind === 'attachments');
    expect((await fetch(String(attachment?.data['url'] as string))).status).toBe(200);
    const folder = mkdtempSync(join(tmpdir(), 'parley-export-'));
    const file = join(folder, 'margaret.jsonl');
    expect((await run(PERSON, '--tenant', 'acme', '--out', file)).code).toBe(0);
    expect(parsed(readFileSync(file, 'utf8')).end?.complete).toBe(true);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await run(PERSON, '--tenant', 'acme', '--out', file)).notes).toContain('exists already');
    expect((await run(PERSON, '--tenant', 'acme', '--out', join(folder, 'no', 'x'))).notes).toContain(
      'cannot be written',
    );
    // Nothing stays of one that fails, and what is there already is not written through.
    const failing = join(folder, 'failing.jsonl');
    const marks = jest.spyOn(SqlUserRows.prototype, 'tenantMark');
    marks.mockResolvedValueOnce('before').mockResolvedValueOnce('after');
    expect((await run(PERSON, '--tenant', 'acme', '--out', failing)).code).toBe(1);
    marks.mockRestore();
    expect([existsSync(failing), existsSync(`${failing}.part`)]).toEqual([false, false]);
    writeFileSync(`${failing}.part`, 'of another');
    expect((await run(PERSON, '--tenant', 'acme', '--out', failing)).notes).toContain('.part exists already');
    expect(readFileSync(`${failing}.part`, 'utf8')).toBe('of another');
    rmSync(folder, { recursive: true, force: true });
    expect((await run(PERSON, '--tenant', 'nowhere')).code).toBe(1);
    expect((await run('')).code).toBe(2);
    const { data } = (await sent(exporting.server, ADMIN, { method: 'GET', path: '/audit?action=data.exported' })) as {
      data: readonly { readonly line: { readonly actor: { kind: string } } }[];
    };
    expect(data.map(({ line }) => line.actor.kind)).toEqual(['cli', 'cli', 'cli', 'user']);
  }, 120_000);
});
