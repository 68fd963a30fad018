import { Injectable } from '@nestjs/common';
import { Clock, type Principal } from '../../common/index.js';
import { Database, type Queryable, queryable, type Transaction } from '../../database/index.js';
import { checkedPreferences, NO_PREFERENCES, type UserPreferences, UserSettings } from '../ports/user-settings.js';

const FIND = 'SELECT timezone, locale FROM user_settings WHERE tenant_id = ? AND user_id = ?';

const REPLACE = `
  INSERT INTO user_settings (tenant_id, user_id, timezone, locale, updated_at) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (tenant_id, user_id)
  DO UPDATE SET timezone = excluded.timezone, locale = excluded.locale, updated_at = excluded.updated_at`;

/** The settings of users in the server's database. */
@Injectable()
export class TypeOrmUserSettings extends UserSettings {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  get(owner: Principal): Promise<UserPreferences> {
    return find(this.database.read, owner);
  }

  forRun(owner: Principal, tx?: Transaction): Promise<UserPreferences> {
    return find(tx ? queryable(tx) : this.database.readUnsynced, owner);
  }

  async replace({ tenantId, userId }: Principal, preferences: UserPreferences): Promise<UserPreferences> {
    const kept = checkedPreferences(preferences);
    const now = this.clock.now();
    await this.database.write((tx) => tx.run(REPLACE, [tenantId, userId, kept.timezone, kept.locale, now]));
    return kept;
  }
}

async function find(source: Queryable, { tenantId, userId }: Principal): Promise<UserPreferences> {
  const [row] = await source.all<UserPreferences>(FIND, [tenantId, userId]);
  return row ?? NO_PREFERENCES;
}
