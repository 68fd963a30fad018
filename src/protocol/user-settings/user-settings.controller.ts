import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { type UserPreferences, UserSettings } from '../../user-settings/index.js';
import { Caller, ShapePipe } from '../http/index.js';
import { UserQueryDto, UserSettingsDto, UserSettingsErrorDto } from './dto/user-settings.dto.js';
import { PreferencesPipe } from './preferences.pipe.js';

/** What a user chose once for all runs: time zone and language. */
@ApiTags('User settings')
@Controller('api/v1/users/me/settings')
export class UserSettingsController {
  constructor(private readonly settings: UserSettings) {}

  @Get()
  @ApiOperation({ summary: 'Read the settings', description: 'A user who never chose anything has nulls.' })
  @ApiOkResponse({ type: UserSettingsDto })
  @ApiResponse({ status: 400, description: 'user_id is not valid.', type: UserSettingsErrorDto })
  read(
    @Query(new ShapePipe(UserQueryDto)) { user_id: userId }: UserQueryDto,
    @Caller() caller: Caller,
  ): Promise<UserPreferences> {
    return this.settings.get(caller.actingFor(userId));
  }

  @Put()
  @ApiOperation({
    summary: 'Replace the settings',
    description: 'What is null or left out is not set afterwards. Runs that begin later see it.',
  })
  @ApiBody({ type: UserSettingsDto, examples: { berlin: { value: { timezone: 'Europe/Berlin', locale: 'de-DE' } } } })
  @ApiOkResponse({ type: UserSettingsDto, description: 'The settings as they are kept, in their usual spelling.' })
  @ApiResponse({ status: 400, description: 'user_id or the JSON is not valid.', type: UserSettingsErrorDto })
  @ApiResponse({ status: 422, description: 'A setting is not valid; nothing is changed.', type: UserSettingsErrorDto })
  replace(
    @Query(new ShapePipe(UserQueryDto)) { user_id: userId }: UserQueryDto,
    @Body(PreferencesPipe) preferences: UserPreferences,
    @Caller() caller: Caller,
  ): Promise<UserPreferences> {
    return this.settings.replace(caller.actingFor(userId), preferences);
  }
}
