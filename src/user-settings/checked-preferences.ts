import { AppError, type ErrorDetail, localeTag, timeZoneName } from '../common/index.js';
import type { UserPreferences } from './ports/user-settings.js';

/** The preferences in their usual spelling. @throws AppError INVALID_USER_SETTINGS, with a detail per field */
export function checkedPreferences({ timezone, locale }: UserPreferences): UserPreferences {
  const zone = timezone === null ? null : timeZoneName(timezone);
  const tag = locale === null ? null : localeTag(locale);
  const details: ErrorDetail[] = [];
  if (zone === undefined)
    details.push({ path: 'timezone', message: 'timezone must be an IANA time zone such as Europe/Berlin' });
  if (tag === undefined) details.push({ path: 'locale', message: 'locale must be a language tag such as zh-CN' });
  if (zone === undefined || tag === undefined) {
    throw new AppError('INVALID_USER_SETTINGS', details[0]?.message, { details });
  }
  return { timezone: zone, locale: tag };
}
