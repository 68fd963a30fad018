import { Caller, namedUser, NeedsCaller } from '../../access/index.js';
import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { type UserPreferences, UserSettings } from '../../user-settings/index.js';
import { ShapePipe } from '../http/index.js';
import { UserQueryDto, UserSettingsDto, UserSettingsErrorDto } from './dto/user-settings.dto.js';
import { PreferencesPipe } from './preferences.pipe.js';

/** What a user chose once for all runs: time zone and language. */
@ApiTags('User settings')
@NeedsCaller()
@Controller('api/v1/users/me/settings')
export class UserSettingsController {
  constructor(private readonly settings: UserSettings) {}

  @Get()
  @ApiOperation({ summary: 'Read the settings', description: 'Settings that the user has not chosen are null.' })
  @ApiOkResponse({ type: UserSettingsDto })
  @ApiResponse({ status: 400, description: 'user_id is invalid.', type: UserSettingsErrorDto })
  read(
    @Query(new ShapePipe(UserQueryDto)) { user_id: userId }: UserQueryDto,
    @Caller() caller: Caller,
  ): Promise<UserPreferences> {
    return this.settings.get(caller.actingFor(namedUser('user_id', userId)));
  }

  @Put()
  @ApiOperation({
    summary: 'Replace the settings',
    description: 'Settings that are null or absent are removed. They take effect for later runs.',
  })
  @ApiBody({ type: UserSettingsDto, examples: { berlin: { value: { timezone: 'Europe/Berlin', locale: 'de-DE' } } } })
  @ApiOkResponse({ type: UserSettingsDto, description: 'The settings as stored, in their canonical spelling.' })
  @ApiResponse({ status: 400, description: 'user_id or the JSON is invalid.', type: UserSettingsErrorDto })
  @ApiResponse({ status: 422, description: 'A setting is invalid; nothing was changed.', type: UserSettingsErrorDto })
  replace(
    @Query(new ShapePipe(UserQueryDto)) { user_id: userId }: UserQueryDto,
    @Body(PreferencesPipe) preferences: UserPreferences,
    @Caller() caller: Caller,
  ): Promise<UserPreferences> {
    return this.settings.replace(caller.actingFor(namedUser('user_id', userId)), preferences);
  }
}
