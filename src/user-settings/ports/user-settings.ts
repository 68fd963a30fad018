import type { Principal } from '../../common/index.js';

/** What a user chose once for all runs. */
export interface UserPreferences {
  /** IANA name, as `timeZoneName` spells it; null when the user chose none. */
  readonly timezone: string | null;
  /** BCP 47 tag; null when the user chose none. */
  readonly locale: string | null;
}

/** The preferences of a user who never chose any. */
export const NO_PREFERENCES: UserPreferences = { timezone: null, locale: null };

/** The settings of users: the third level of the time-zone rule (contract runs-api, section 8). */
export abstract class UserSettings {
  /** What the user chose; nothing of it for a user nobody knows. */
  abstract get(principal: Principal): Promise<UserPreferences>;

  /**
   * Replaces what the user chose and returns it as it is kept.
   *
   * @throws AppError INVALID_USER_SETTINGS, with a detail per field; then nothing is written
   */
  abstract replace(principal: Principal, preferences: UserPreferences): Promise<UserPreferences>;
}
