import {
  type DynamicModule,
  Injectable,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import type { SchemaExtension } from './data-source-options.js';
import { Database } from './database.js';
import type { DatabaseSettings } from './database.settings.js';
import { durabilityGaps } from './durability-check.js';
import { openDatabase } from './open-database.js';

/** Closes the connections after everything else has shut down. */
@Injectable()
class DatabaseCloser implements OnApplicationShutdown {
  constructor(private readonly database: Database) {}

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}

/** Says at the start when the database cannot keep what `DURABILITY=strict` promises (docs/durability.md). */
class DurabilityReport implements OnApplicationBootstrap {
  private readonly logger = new Logger('Database');

  constructor(private readonly database: Database) {}

  async onApplicationBootstrap(): Promise<void> {
    const gaps = await durabilityGaps(this.database.read);
    if (gaps.length === 0) return;
    this.logger.warn(`DURABILITY is strict, but PostgreSQL has ${gaps.join(', ')}: a power failure may cost commits.`);
  }
}

const strictReport = {
  provide: DurabilityReport,
  useFactory: (database: Database) => new DurabilityReport(database),
  inject: [Database],
};

/** The one database of the process, open and migrated before anything that uses it is made. */
@Module({})
export class DatabaseModule {
  static forRoot(settings: DatabaseSettings, extensions: readonly SchemaExtension[] = []): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        { provide: Database, useFactory: () => openDatabase(settings, extensions) },
        DatabaseCloser,
        ...(settings.durability === 'strict' ? [strictReport] : []),
      ],
      exports: [Database],
    };
  }
}
