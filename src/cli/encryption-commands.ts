import { userInfo } from 'node:os';
import { Tenants } from '../access/index.js';
import { AttachmentSettings, openObjectStore, sealObjects } from '../agent/attachment/index.js';
import { AuditTrail } from '../audit/index.js';
import { commandOrigin } from '../common/index.js';
import {
  disagreements,
  type FingerprintsByName,
  keyFingerprints,
  readSettings,
  ServerSettings,
} from '../config/index.js';
import {
  Database,
  DATABASE_NOW,
  DatabaseSettings,
  destroyDataKey,
  openDatabase,
  Reencryption,
} from '../database/index.js';
import { type Command, type Commands, table, type Terminal, UsageError } from './command.js';

const SETTING = 'DATA_ENCRYPTION_KEYS';

const reencrypt: Command = {
  usage:
    '[--vacuum] [--json]   wraps data keys with the first key of the list, and encrypts what is stored unencrypted; may be stopped and started again, also while servers run; --vacuum then rewrites the file of SQLite, for which no server may run',
  options: { vacuum: { type: 'boolean' } },
  runOffline(args, env, terminal) {
    return reencryptAll(env, terminal, { json: args.options.json === true, vacuum: args.options['vacuum'] === true });
  },
  run() {
    throw new Error('It runs without the modules of the server');
  },
};

const destroyKey: Command = {
  usage:
    'TENANT --yes   destroys the data key of a suspended tenant, for which no server may run: nobody can read its content any more. There is no way back',
  positionals: ['TENANT'],
  options: { yes: { type: 'boolean' } },
  async run(app, args, terminal) {
    const { id } = await app.get(Tenants).find(args.positionals[0] ?? '');
    const database = app.get(Database);
    if (!database.content.isOn) throw new UsageError(`${SETTING} is not set: nothing is encrypted`);
    const destroyed = await database.write(async (tx) => {
      const { status } = await app.get(Tenants).lockIdle(tx, id);
      if (status !== 'suspended') throw new UsageError(`Suspend the tenant ${id} first`);
      if (args.options['yes'] !== true) throw new UsageError('It cannot be undone: confirm it with --yes');
      await refuseServers(tx);
      const counts = await destroyDataKey(tx, id, Date.now());
      if (!counts) return undefined;
      const by = commandOrigin(userInfo().username);
      const details = { dataKey: 'destroyed', ...counts };
      await app
        .get(AuditTrail)
        .write(tx, { tenantId: id, action: 'data.erased', by, subject: { kind: 'tenant', id }, details });
      return counts;
    });
    terminal.note(
      destroyed
        ? `The data key of ${id} is destroyed. ${destroyed.schedules} schedules and ${destroyed.deliveries} waiting deliveries were removed, ${destroyed.interrupts} open questions were canceled. Backups hold the key, wrapped, until the key of ${SETTING} that wrapped it is gone as well.`
        : `${id} has no data key.`,
    );
    return destroyed ? 0 : 1;
  },
};

/** The commands of `npm run data -- …` for encryption (contract access, section 9). */
export const ENCRYPTION_COMMANDS: Commands = new Map(Object.entries({ reencrypt, 'destroy-key': destroyKey }));

async function reencryptAll(
  env: NodeJS.ProcessEnv,
  terminal: Terminal,
  { json, vacuum }: { readonly json: boolean; readonly vacuum: boolean },
): Promise<number> {
  const settings = readSettings(DatabaseSettings, env);
  const { encryptionKeys: ring } = settings;
  if (!ring) throw new UsageError(`${SETTING} is not set`);
  const database = await openDatabase(settings);
  try {
    await refuseOthers(database, keyFingerprints(SETTING, ring));
    await database.content.prepare();
    // What is overwritten in a file of SQLite would otherwise stay in its free pages.
    if (database.dialect === 'sqlite') await database.write((tx) => tx.all('PRAGMA secure_delete = ON'));
    const work = new Reencryption(database);
    const counts: [string, number][] = [['data keys', await work.rewrap(ring)]];
    for await (const [name, rows] of work.seal()) counts.push([name, rows]);
    const objects = openObjectStore(readSettings(AttachmentSettings, env), readSettings(ServerSettings, env));
    counts.push(['attachment files', await sealObjects(database, objects)]);
    if (vacuum) await database.clearRemoved();
    if (json) terminal.out(JSON.stringify(Object.fromEntries(counts), null, 2));
    else terminal.out(table([['WHAT', 'ENCRYPTED'], ...counts.map(([name, count]) => [name, String(count)])]));
    if (database.dialect === 'postgres')
      terminal.note(
        'PostgreSQL keeps old versions of rows until a VACUUM, and in its log. Old backups are as they were.',
      );
    else if (!vacuum) terminal.note('Old backups are as they were. --vacuum also rewrites the file.');
    return 0;
  } finally {
    await database.close();
  }
}

/** @throws UsageError while a server runs: it has data keys in memory, by tenant, and would go on using them */
export async function refuseServers(source: Database['read']): Promise<void> {
  const [worker] = await workersOf(source);
  if (worker)
    throw new UsageError(
      `The server ${worker.name} runs, and has the data keys in memory: stop all servers first. One that was killed is given up within a minute`,
    );
}

function workersOf(source: Database['read']): Promise<WorkerRow[]> {
  return source.all<WorkerRow>(
    `SELECT name, fingerprints, started_at, (SELECT MIN(created_at) FROM tenant_data_keys) AS keys_since
     FROM workers WHERE lease_until >= ${DATABASE_NOW[source.dialect]}`,
  );
}

/** @throws UsageError while a server runs that does not have the same keys: it could not read what is encrypted */
async function refuseOthers({ read, dialect }: Database, own: readonly string[]): Promise<void> {
  for (const worker of await workersOf(read)) {
    // Servers on SQLite publish nothing of their settings: one with the list has made the keys, or has found them.
    const isSame =
      dialect === 'sqlite'
        ? worker.keys_since !== null && Number(worker.keys_since) <= Number(worker.started_at)
        : disagreements({ [SETTING]: own }, { [SETTING]: ringOf(worker) }).length === 0;
    if (!isSame)
      throw new UsageError(`The server ${worker.name} runs without this ${SETTING}: start it with the same list first`);
  }
}

interface WorkerRow {
  readonly name: string;
  readonly fingerprints: string;
  readonly started_at: number | string;
  readonly keys_since: number | string | null;
}

function ringOf({ fingerprints }: WorkerRow): readonly string[] {
  return (JSON.parse(fingerprints) as FingerprintsByName)[SETTING] ?? [];
}
