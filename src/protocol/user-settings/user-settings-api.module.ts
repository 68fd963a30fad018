import { Module } from '@nestjs/common';
import { HttpModule } from '../http/index.js';
import { OwnExportController } from './own-export.controller.js';
import { UserSettingsController } from './user-settings.controller.js';

/** What users read and change of their own over HTTP. Needs `UserSettings` and `UserExports` from global modules. */
@Module({ imports: [HttpModule], controllers: [UserSettingsController, OwnExportController] })
export class UserSettingsApiModule {}
