import { Global, Module } from '@nestjs/common';
import { TypeOrmUserSettings } from './adapters/typeorm-user-settings.js';
import { UserSettings } from './ports/user-settings.js';

/** The settings of users. Needs the global `Database` and `Clock`. */
@Global()
@Module({
  providers: [{ provide: UserSettings, useClass: TypeOrmUserSettings }],
  exports: [UserSettings],
})
export class UserSettingsModule {}
