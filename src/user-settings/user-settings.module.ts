import { Global, Module } from '@nestjs/common';
import { UserCleaners, UserExporters } from '../data-protection/index.js';
import { TypeOrmUserSettings } from './adapters/typeorm-user-settings.js';
import { USER_SETTINGS_EXPORT } from './user-settings-export.js';
import { UserSettings } from './ports/user-settings.js';

/** The settings of users. Needs `Database`, `Clock` and `UserCleaners` from global modules. */
@Global()
@Module({
  providers: [{ provide: UserSettings, useClass: TypeOrmUserSettings }],
  exports: [UserSettings],
})
export class UserSettingsModule {
  constructor(users: UserCleaners, exporters: UserExporters, settings: UserSettings) {
    exporters.register(USER_SETTINGS_EXPORT);
    users.register({
      cleanUser: async ({ user, write }) => {
        await write(async (tx) => ({ settings: await settings.remove(tx, user) }));
      },
    });
  }
}
