import { Injectable } from '@nestjs/common';
import { Clock, type Principal } from '../../common/index.js';
import {
  Database,
  type Queryable,
  queryable,
  refuseErased,
  type Transaction,
  UserSettingsEntity,
} from '../../database/index.js';
import { checkedPreferences, NO_PREFERENCES, type UserPreferences, UserSettings } from '../ports/user-settings.js';

/** Each run reads it while it is accepted, so it is SQL (ADR 41). */
const FIND = 'SELECT timezone, locale FROM user_settings WHERE tenant_id = ? AND user_id = ?';

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
    return find(tx ? queryable(tx) : this.database.forRuns.readUnsynced, owner);
  }

  async replace({ tenantId, userId }: Principal, preferences: UserPreferences): Promise<UserPreferences> {
    const kept = checkedPreferences(preferences);
    const now = this.clock.now();
    const row = { tenantId, userId, timezone: kept.timezone, locale: kept.locale, updatedAt: now };
    await this.database.write(async (tx) => {
      await tx.manager.upsert(UserSettingsEntity, row, ['tenantId', 'userId']);
      await refuseErased(tx, row);
    });
    return kept;
  }

  async remove(tx: Transaction, { tenantId, userId }: Principal): Promise<number> {
    return (await queryable(tx).manager.delete(UserSettingsEntity, { tenantId, userId })).affected ?? 0;
  }
}

async function find(source: Queryable, { tenantId, userId }: Principal): Promise<UserPreferences> {
  const [row] = await source.all<UserPreferences>(FIND, [tenantId, userId]);
  return row ?? NO_PREFERENCES;
}
