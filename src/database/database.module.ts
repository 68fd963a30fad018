import { type DynamicModule, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { DatabaseSettings } from './data-source-options.js';
import { Database } from './database.js';
import { openDatabase } from './open-database.js';

/** Closes the connections after everything else has shut down. */
@Injectable()
class DatabaseCloser implements OnApplicationShutdown {
  constructor(private readonly database: Database) {}

  async onApplicationShutdown(): Promise<void> {
    await this.database.close();
  }
}

/** The one database of the process, open and migrated before anything that uses it is made. */
@Module({})
export class DatabaseModule {
  static forRoot(settings: DatabaseSettings): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [{ provide: Database, useFactory: () => openDatabase(settings) }, DatabaseCloser],
      exports: [Database],
    };
  }
}
