import type { Principal } from '../../src/common/index.js';
import { NO_PREFERENCES, type UserPreferences, UserSettings } from '../../src/user-settings/index.js';

/** The settings of users in memory, unchecked, for tests of the wires. */
export class MemoryUserSettings extends UserSettings {
  private readonly kept = new Map<string, UserPreferences>();

  override get(principal: Principal): Promise<UserPreferences> {
    return Promise.resolve(this.kept.get(keyOf(principal)) ?? NO_PREFERENCES);
  }

  override replace(principal: Principal, preferences: UserPreferences): Promise<UserPreferences> {
    this.kept.set(keyOf(principal), preferences);
    return Promise.resolve(preferences);
  }
}

function keyOf({ tenantId, userId }: Principal): string {
  return JSON.stringify([tenantId, userId]);
}
