import { Body, Controller, Get, Injectable, type PipeTransform, Put, Query } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Caller, namedUser, NeedsCaller } from '../../access/index.js';
import { type UserPreferences, UserSettings } from '../../user-settings/index.js';
import { AppError, isPlainObject } from '../../common/index.js';
import { DtoPipe } from '../http/index.js';
import { ErrorBodyDto } from '../wire/api-route.js';
import { UserQueryDto, UserSettingsDto } from './dto/user-settings.dto.js';

const FIELDS = ['timezone', 'locale'] as const;

/** Reads the body of `PUT /users/me/settings`; the service checks the values. */
@Injectable()
class PreferencesPipe implements PipeTransform<unknown, UserPreferences> {
  /** @throws AppError INVALID_USER_SETTINGS for another shape or an unknown field */
  transform(body: unknown): UserPreferences {
    if (!isPlainObject(body)) throw new AppError('INVALID_USER_SETTINGS', 'The settings must be a JSON object');
    const known: readonly string[] = FIELDS;
    const details = Object.entries(body).flatMap(([path, value]) => {
      if (!known.includes(path)) return [{ path, message: `${path} is not a setting: use timezone and locale` }];
      const fits = value === null || typeof value === 'string';
      return fits ? [] : [{ path, message: `${path} must be a string or null` }];
    });
    if (details.length > 0) throw new AppError('INVALID_USER_SETTINGS', details[0]?.message, { details });
    const { timezone = null, locale = null } = body as Partial<UserPreferences>;
    return { timezone, locale };
  }
}

/** What a user chose once for all runs: time zone and language. */
@ApiTags('User settings')
@NeedsCaller()
@Controller('api/v1/users/me/settings')
export class UserSettingsController {
  constructor(private readonly settings: UserSettings) {}

  @Get()
  @ApiOperation({ summary: 'Read the settings', description: 'Settings that the user has not chosen are null.' })
  @ApiOkResponse({ type: UserSettingsDto })
  @ApiResponse({ status: 400, description: 'user_id is invalid.', type: ErrorBodyDto })
  read(@Query(DtoPipe) { user_id: userId }: UserQueryDto, @Caller() caller: Caller): Promise<UserPreferences> {
    return this.settings.get(caller.actingFor(namedUser('user_id', userId)));
  }

  @Put()
  @ApiOperation({
    summary: 'Replace the settings',
    description: 'Settings that are null or absent are removed. They take effect for later runs.',
  })
  @ApiBody({ type: UserSettingsDto, examples: { berlin: { value: { timezone: 'Europe/Berlin', locale: 'de-DE' } } } })
  @ApiOkResponse({ type: UserSettingsDto, description: 'The settings as stored, in their canonical spelling.' })
  @ApiResponse({ status: 400, description: 'user_id or the JSON is invalid.', type: ErrorBodyDto })
  @ApiResponse({ status: 422, description: 'A setting is invalid; nothing was changed.', type: ErrorBodyDto })
  replace(
    @Query(DtoPipe) { user_id: userId }: UserQueryDto,
    @Body(PreferencesPipe) preferences: UserPreferences,
    @Caller() caller: Caller,
  ): Promise<UserPreferences> {
    return this.settings.replace(caller.actingFor(namedUser('user_id', userId)), preferences);
  }
}
