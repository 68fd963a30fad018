import { AppError, type ErrorDetail, localeTag, type Principal, timeZoneName } from '../../common/index.js';
import type { Transaction } from '../../database/index.js';

/** The preferences of a user for all runs. */
export interface UserPreferences {
  /** IANA name, normalized by `timeZoneName`; null if the user chose none. */
  readonly timezone: string | null;
  /** BCP 47 tag; null if the user chose none. */
  readonly locale: string | null;
}

/** The preferences of a user who chose none. */
export const NO_PREFERENCES: UserPreferences = { timezone: null, locale: null };

/** The settings of users: the third level of the time-zone rule (contract runs-api, section 8). */
export abstract class UserSettings {
  /** The user's preferences; `NO_PREFERENCES` for an unknown user. */
  abstract get(principal: Principal): Promise<UserPreferences>;

  /**
   * As `get`, for a run: does not wait until what it finds is on the disk.
   *
   * @param tx given: reads inside the transaction
   */
  abstract forRun(principal: Principal, tx?: Transaction): Promise<UserPreferences>;

  /** Removes the user's preferences. Returns 1, or 0 if there were none. */
  abstract remove(tx: Transaction, principal: Principal): Promise<number>;

  /**
   * Replaces the user's preferences and returns them normalized.
   *
   * @throws AppError INVALID_USER_SETTINGS, with a detail per invalid field; SESSION_BUSY while the user's data is being
   *   erased; nothing is written then
   */
  abstract replace(principal: Principal, preferences: UserPreferences): Promise<UserPreferences>;
}

/** Validates and normalizes preferences. @throws AppError INVALID_USER_SETTINGS, with a detail per invalid field */
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
