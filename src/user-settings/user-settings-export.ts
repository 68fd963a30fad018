import { exporterOf, OF_USER, time, type UserExporter } from '../data-protection/index.js';

/** What a user chose once for all runs. */
export const USER_SETTINGS_EXPORT: UserExporter = exporterOf({
  kind: 'settings',
  from: 'user_settings',
  where: OF_USER,
  key: ['user_id'],
  members: { timezone: 'timezone', locale: 'locale', updatedAt: ['updated_at', time] },
  leftOut: ['tenant_id'],
});
