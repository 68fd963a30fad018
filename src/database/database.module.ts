import { type DynamicModule, Injectable, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { Metrics } from '../common/index.js';
import { Fingerprints, keyFingerprints } from '../config/index.js';
import type { SchemaExtension } from './data-source-options.js';
import { Database, RequestDatabase, RunDatabase } from './database.js';
import type { DatabaseSettings } from './database.settings.js';
import { DurabilityReport } from './durability-report.js';
import { openDatabase } from './open-database.js';
import { UnitOfWork } from './transaction.js';

/** Closes the connections after everything else has shut down. */
@Injectable()
class DatabaseCloser implements OnApplicationShutdown {
  constructor(private readonly database: Database) {}

  /** Runs last, because providers write until their own shutdown is over. */
  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}

/** What a server publishes of itself that reads encrypted content and encrypts none. */
export const PLAIN_WRITES = { setting: 'DATA_ENCRYPTION', value: 'off' } as const;

/** All servers on a database have the keys, or none: others could not read what it holds. */
const keyReport = ({ encryptionKeys: keys, encryption }: DatabaseSettings): Provider => ({
  provide: 'EncryptionFingerprints',
  useFactory: (fingerprints?: Fingerprints) => {
    const name = 'DATA_ENCRYPTION_KEYS';
    fingerprints?.add(name, () => keyFingerprints(name, keys ?? []));
    // Those that encrypt say nothing: servers of both kinds can read what the others write.
    if (keys && encryption === 'off') fingerprints?.add(PLAIN_WRITES.setting, () => [PLAIN_WRITES.value]);
    return name;
  },
  inject: [{ token: Fingerprints, optional: true }],
});

/** Reports gaps in the durability; only for `strict`, which promises it. */
const strictReport = {
  provide: DurabilityReport,
  useFactory: (database: Database) => new DurabilityReport(database),
  inject: [Database],
};

/** The database of the process. It is open and migrated before any provider that uses it is created. */
@Module({})
export class DatabaseModule {
  /**
   * @param extensions tables of other modules, migrated with the core schema
   * @param options.makesKeys false: data keys of tenants are only read, so that a command does not switch encryption on
   */
  static forRoot(
    settings: DatabaseSettings,
    extensions: readonly SchemaExtension[] = [],
    { makesKeys = true }: { readonly makesKeys?: boolean } = {},
  ): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        {
          provide: Database,
          useFactory: async (metrics: Metrics) => {
            const database = await openDatabase(settings, extensions, metrics);
            if (makesKeys) await database.content.prepare();
            return database;
          },
          inject: [Metrics],
        },
        { provide: UnitOfWork, useExisting: Database },
        { provide: RequestDatabase, useExisting: Database },
        { provide: RunDatabase, useFactory: ({ forRuns }: Database) => forRuns, inject: [Database] },
        DatabaseCloser,
        keyReport(settings),
        ...(settings.durability === 'strict' ? [strictReport] : []),
      ],
      exports: [Database, RequestDatabase, RunDatabase, UnitOfWork],
    };
  }
}
