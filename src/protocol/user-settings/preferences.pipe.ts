import { Injectable, type PipeTransform } from '@nestjs/common';
import { AppError, isPlainObject } from '../../common/index.js';
import type { UserPreferences } from '../../user-settings/index.js';

const FIELDS = ['timezone', 'locale'] as const;

/** Reads the body of `PUT /users/me/settings`; the service checks the values. */
@Injectable()
export class PreferencesPipe implements PipeTransform<unknown, UserPreferences> {
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
