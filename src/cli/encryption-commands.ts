import { userInfo } from 'node:os';
import { Tenants } from '../access/index.js';
import { AttachmentSettings, openObjects, openObjectStore, sealObjects } from '../agent/attachment/index.js';
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
  PLAIN_WRITES,
  Reencryption,
  type Rewritten,
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

const decrypt: Command = {
  usage:
    '[--vacuum] [--json]   stores encrypted content as it is, and removes the data keys, so that the server needs no keys any more; may be stopped and started again, also while servers run with DATA_ENCRYPTION=off on PostgreSQL; --vacuum as above',
  options: { vacuum: { type: 'boolean' } },
  runOffline(args, env, terminal) {
    return decryptAll(env, terminal, { json: args.options.json === true, vacuum: args.options['vacuum'] === true });
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
export const ENCRYPTION_COMMANDS: Commands = new Map(Object.entries({ reencrypt, decrypt, 'destroy-key': destroyKey }));

async function reencryptAll(
  env: NodeJS.ProcessEnv,
  terminal: Terminal,
  { json, vacuum }: { readonly json: boolean; readonly vacuum: boolean },
): Promise<number> {
  const settings = readSettings(DatabaseSettings, env);
  const { encryptionKeys: ring } = settings;
  if (!ring) throw new UsageError(`${SETTING} is not set`);
  if (settings.encryption === 'off')
    throw new UsageError(`${PLAIN_WRITES.setting} is ${PLAIN_WRITES.value}: nothing would be encrypted`);
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

/** Returns 1 if there is content that cannot be decrypted. */
async function decryptAll(
  env: NodeJS.ProcessEnv,
  terminal: Terminal,
  { json, vacuum }: { readonly json: boolean; readonly vacuum: boolean },
): Promise<number> {
  const settings = readSettings(DatabaseSettings, { ...env, DATA_ENCRYPTION: 'off' });
  if (!settings.encryptionKeys) throw new UsageError(`${SETTING} is not set`);
  const database = await openDatabase(settings);
  try {
    await refuseEncrypting(database.read);
    const objects = openObjectStore(readSettings(AttachmentSettings, env), readSettings(ServerSettings, env));
    const counts = new Map<string, number>();
    let unreadable = 0;
    const note = (name: string, found: Rewritten): void => {
      counts.set(name, (counts.get(name) ?? 0) + found.rows);
      unreadable += found.unreadable;
    };
    const work = new Reencryption(database);
    // The last time finds nothing, so that no key is removed that is still needed.
    for (let before = -1; before < sumOf(counts);) {
      before = sumOf(counts);
      unreadable = 0;
      for await (const [name, found] of work.open()) note(name, found);
      note('attachment files', await openObjects(database, objects));
    }
    if (unreadable === 0) {
      const removed = await database.write(async (tx) => {
        await refuseEncrypting(tx);
        return work.forgetKeys(tx);
      });
      counts.set('data keys', removed);
    }
    if (vacuum) await database.clearRemoved();
    if (json) terminal.out(JSON.stringify({ ...Object.fromEntries(counts), unreadable }, null, 2));
    else terminal.out(table([['WHAT', 'DECRYPTED'], ...[...counts].map(([name, count]) => [name, String(count)])]));
    terminal.note(
      unreadable === 0
        ? `Nothing is encrypted any more: remove ${SETTING} and DATA_ENCRYPTION from the settings of all servers. Keep the keys for as long as there are backups from before.`
        : `${unreadable} rows and files cannot be decrypted, because their data key was destroyed or they were changed; the log of the server names rows that it comes across. Remove their conversations or tenants, and run the command again: until then the keys stay.`,
    );
    return unreadable === 0 ? 0 : 1;
  } finally {
    await database.close();
  }
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}

/** @throws UsageError while a server runs that may encrypt */
async function refuseEncrypting(source: Database['read']): Promise<void> {
  for (const { name, fingerprints } of await workersOf(source)) {
    const { setting, value } = PLAIN_WRITES;
    // Servers on SQLite publish nothing of their settings.
    const isPlain = (JSON.parse(fingerprints) as FingerprintsByName)[setting]?.[0] === value;
    if (!isPlain)
      throw new UsageError(
        source.dialect === 'sqlite'
          ? `The server ${name} runs: stop it first. One that was killed is given up within a minute`
          : `The server ${name} encrypts what it stores: start it with ${setting}=${value} first, or stop it. One that was killed is given up within a minute`,
      );
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
