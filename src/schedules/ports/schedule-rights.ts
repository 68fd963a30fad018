import type { Authority } from '../../common/index.js';

/** Whether those who created schedules still may run what they planned. */
export abstract class ScheduleRights {
  /** Why an authority no longer holds, as a sentence; undefined if it does. @param authority null without authentication */
  abstract problemOf(tenantId: string, authority: Authority | null): Promise<string | undefined>;
}
