import { type DynamicModule, Global, Module } from '@nestjs/common';
import { AttachmentExportModule, AttachmentSettings } from '../agent/attachment/index.js';
import { INTERRUPT_EXPORT } from '../agent/interrupt/index.js';
import { Fingerprints, readSettings, ServerSettings } from '../config/index.js';
import { type UserExporter, UserExporters } from '../data-protection/index.js';
import { OUTBOX_EXPORT } from '../outbox/index.js';
import { RunExportModule } from '../run/index.js';
import { SCHEDULE_EXPORT } from '../schedules/index.js';
import { USAGE_EXPORT } from '../usage/index.js';
import { USER_SETTINGS_EXPORT } from '../user-settings/index.js';
import { DELIVERY_EXPORT } from '../webhooks/index.js';

/** What registers the exporters of a server for the command line. */
@Global()
@Module({ imports: [RunExportModule, AttachmentExportModule] })
export class CliExportModule {
  constructor(exporters: UserExporters) {
    exporters.register(USAGE_EXPORT, USER_SETTINGS_EXPORT, INTERRUPT_EXPORT, SCHEDULE_EXPORT);
    exporters.register(OUTBOX_EXPORT, DELIVERY_EXPORT);
  }

  /** @param added the exporters of modules that not every server has */
  static forRoot(env: NodeJS.ProcessEnv, added: readonly UserExporter[]): DynamicModule {
    return {
      module: CliExportModule,
      providers: [
        { provide: AttachmentSettings, useValue: readSettings(AttachmentSettings, env) },
        { provide: ServerSettings, useValue: readSettings(ServerSettings, env) },
        Fingerprints,
        {
          provide: 'AddedExporters',
          useFactory: (exporters: UserExporters) => exporters.register(...added),
          inject: [UserExporters],
        },
      ],
      exports: [AttachmentSettings, ServerSettings, Fingerprints],
    };
  }
}
