import { Global, Module } from '@nestjs/common';
import { UserCleaners } from '../data-protection/index.js';
import { TypeOrmUserSettings } from './adapters/typeorm-user-settings.js';
import { UserSettings } from './ports/user-settings.js';

/** The settings of users. Needs `Database`, `Clock` and `UserCleaners` from global modules. */
@Global()
@Module({
  providers: [{ provide: UserSettings, useClass: TypeOrmUserSettings }],
  exports: [UserSettings],
})
export class UserSettingsModule {
  constructor(users: UserCleaners, settings: UserSettings) {
    users.register({
      cleanUser: async ({ user, write }) => {
        await write(async (tx) => ({ settings: await settings.remove(tx, user) }));
      },
    });
  }
}
