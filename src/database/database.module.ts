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

/** All servers on a database encrypt, or none: others could not read what it holds. */
const keyReport = (keys: DatabaseSettings['encryptionKeys']): Provider => ({
  provide: 'EncryptionFingerprints',
  useFactory: (fingerprints?: Fingerprints) => {
    const name = 'DATA_ENCRYPTION_KEYS';
    fingerprints?.add(name, () => keyFingerprints(name, keys ?? []));
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
        keyReport(settings.encryptionKeys),
        ...(settings.durability === 'strict' ? [strictReport] : []),
      ],
      exports: [Database, RequestDatabase, RunDatabase, UnitOfWork],
    };
  }
}
