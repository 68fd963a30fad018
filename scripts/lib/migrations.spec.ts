import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Column, DataSource, Entity, type MigrationInterface, PrimaryColumn } from 'typeorm';
import { dataSourceOptions, migrate } from '../../src/database/index.js';
import { describeOnDatabases, type TestDatabase } from '../../test/support/databases.js';
import { settingsOf } from '../../test/support/ledger.js';
import { buildReason } from './build-state.mjs';
import { MIGRATION_NAME, schemaChanges, withScratchPostgres, writeMigration } from './migrations.mjs';

const ROOT = join(__dirname, '../..');
const MIGRATIONS = join(ROOT, 'src/database/migrations');

/** A table that no migration makes. */
@Entity({ name: 'colors' })
class ColorEntity {
  @PrimaryColumn('varchar', { name: 'name', length: 64, primaryKeyConstraintName: 'pk_colors' })
  name!: string;

  @Column('varchar', { name: 'note', length: 64, default: '`${1}\\' })
  note!: string;
}

describe('npm scripts', () => {
  it('every script runs a file that exists', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    const files = Object.values(scripts).flatMap((script) => /\bnode (\S+\.mjs)/.exec(script)?.[1] ?? []);
    expect(files).toContain('scripts/migration.mjs');
    expect(files.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  });
});

describe('the names of migrations', () => {
  it.each(['add-color', 'a', 'index-2-runs'])('%s is a valid name', (name) => expect(name).toMatch(MIGRATION_NAME));
  it.each(['', 'AddColor', 'add color', '-a', 'a-', '../a', '2a'])('"%s" is not a valid name', (name) =>
    expect(name).not.toMatch(MIGRATION_NAME),
  );
});

describeOnDatabases('generated migrations', (open) => {
  let test: TestDatabase;
  let source: DataSource;
  let folder: string;

  beforeEach(async () => {
    test = await open();
    folder = mkdtempSync(join(tmpdir(), 'parley-migrations-'));
    cpSync(MIGRATIONS, folder, { recursive: true });
    source = await new DataSource(
      dataSourceOptions(settingsOf(test), [{ entities: [ColorEntity], migrations: [] }]),
    ).initialize();
    await migrate(source);
  });

  afterEach(async () => {
    await source.destroy();
    await test.drop();
    rmSync(folder, { recursive: true });
  });

  /** Loads a written migration as the server does. */
  function loaded(file: string, className: string): MigrationInterface {
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    const classes = require(file) as Record<string, new () => MigrationInterface>;
    const found = classes[className];
    if (!found) throw new Error(`${file} has no ${className}`);
    return new found();
  }

  it('a generated migration makes the tables match the entities, and can be reverted', async () => {
    const changes = await schemaChanges(source);
    const { file = '' } = writeMigration(folder, test.kind, 'add-colors', changes) ?? {};
    const timestamp = /(\d{13})-add-colors\.ts$/.exec(file)?.[1] ?? '';
    const migration = loaded(file, `AddColors${timestamp}`);
    expect(migration).toMatchObject({ name: `AddColors${timestamp}` });
    expect(readFileSync(file, 'utf8')).toContain('/** Add colors. */');
    const runner = source.createQueryRunner();
    try {
      await migration.up(runner);
      expect((await schemaChanges(source)).up).toEqual([]);
      await migration.down(runner);
      expect((await schemaChanges(source)).up).toEqual(changes.up);
    } finally {
      await runner.release();
    }
  });

  it('a generated migration is the last one in the index', async () => {
    const changes = await schemaChanges(source);
    const { file = '' } = writeMigration(folder, test.kind, 'add-colors', changes) ?? {};
    const index = readFileSync(join(folder, test.kind, 'index.ts'), 'utf8');
    const [, timestamp] = /(\d{13})-add-colors\.ts$/.exec(file) ?? [];
    expect(index).toContain(`import { AddColors${timestamp} } from './${timestamp}-add-colors.js';`);
    expect(index).toMatch(new RegExp(`  AddColors${timestamp},\\n\\];\\n$`));
    const timestamps = readdirSync(join(folder, test.kind)).flatMap((path) => /^\d{13}/.exec(path)?.[0] ?? []);
    expect([...timestamps].sort().at(-1)).toBe(timestamp);
  });

  it('the migrations of both databases have the same timestamp', async () => {
    const other = test.kind === 'sqlite' ? 'postgres' : 'sqlite';
    writeFileSync(join(folder, other, '1795999999999-add-colors.ts'), '');
    const written = writeMigration(folder, test.kind, 'add-colors', await schemaChanges(source));
    expect(written?.file).toBe(join(folder, test.kind, '1795999999999-add-colors.ts'));
  });

  it('no migration is written without changes or over another of the same name', async () => {
    expect(writeMigration(folder, test.kind, 'add-colors', { up: [], down: [] })).toBeUndefined();
    const changes = await schemaChanges(source);
    expect(() => writeMigration(folder, test.kind, 'create-ledger', changes)).toThrow(
      `${test.kind}: there is a migration create-ledger already`,
    );
  });
});

describe('a scratch database', () => {
  const server = process.env.TEST_DATABASE_URL;

  (server ? it : it.skip)('is empty, and removed after use (needs TEST_DATABASE_URL)', async () => {
    let scratch = '';
    await withScratchPostgres(server ?? '', async (created) => {
      scratch = created;
      const empty = await new DataSource({ type: 'postgres', url: created }).initialize();
      expect(await empty.query("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
      await empty.destroy();
    });
    await expect(new DataSource({ type: 'postgres', url: scratch }).initialize()).rejects.toThrow('does not exist');
  });
});

const withBuild = buildReason(ROOT) === undefined ? it : it.skip;

describeOnDatabases('npm run migration:run', (open) => {
  let test: TestDatabase;

  beforeEach(async () => (test = await open()));
  afterEach(() => test.drop());

  async function run(...args: string[]): Promise<string> {
    const env = { ...process.env, DATABASE_URL: undefined, ...test.env };
    const { stdout } = await promisify(execFile)(process.execPath, ['scripts/migration.mjs', ...args], {
      cwd: ROOT,
      env,
    });
    return stdout;
  }

  withBuild('applies the pending migrations of the configured database (needs a build)', async () => {
    const first = await run('run');
    expect(first).toContain('Applied CreateLedger1795219200000\n');
    expect(await run('run')).toBe('No migration is pending\n');
  });

  it('an unknown action and an invalid name are refused', async () => {
    await expect(run('undo')).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('Usage: ') });
    await expect(run('generate', '../x')).rejects.toMatchObject({ code: 2 });
  });
});
