import { Module } from '@nestjs/common';
import { HttpModule } from '../http/index.js';
import { UserSettingsController } from './user-settings.controller.js';

/** The settings of users over HTTP. Needs `UserSettings` from a global module. */
@Module({ imports: [HttpModule], controllers: [UserSettingsController] })
export class UserSettingsApiModule {}
