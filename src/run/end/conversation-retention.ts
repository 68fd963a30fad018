import { Injectable, Logger } from '@nestjs/common';
import { Chores } from '../../chores/index.js';
import { Clock } from '../../common/index.js';
import { isUnavailable } from '../../database/index.js';
import { Retention } from '../../retention/index.js';
import { IdleSessions } from '../ports/idle-sessions.js';
import { RunSettings } from '../run.settings.js';
import { RemoveRuns } from './remove-runs.js';

/** Sessions that are looked up at once. Each is removed in a transaction of its own. */
const BATCH = 200;
/** How often old conversations are looked for, in milliseconds. */
const EVERY_MS = 600_000;

/** Removes the conversations in which nothing has happened for longer than their tenant keeps them. */
@Injectable()
export class ConversationRetention {
  private readonly logger = new Logger(ConversationRetention.name);

  constructor(
    private readonly idle: IdleSessions,
    private readonly removal: RemoveRuns,
    private readonly retention: Retention,
    private readonly clock: Clock,
  ) {}

  /**
   * Removes what is old, until nothing is left or the signal aborts. Returns the number of sessions.
   *
   * @throws the first error, after the sessions that can be removed
   */
  async removeAll(signal?: AbortSignal): Promise<number> {
    let removed = 0;
    const failures: unknown[] = [];
    for (const [tenantId, ms] of await this.retention.eachTenant('conversations')) {
      try {
        removed += await this.removeOf(tenantId, this.clock.now() - ms, failures, signal);
      } catch (error) {
        failures.push(error);
      }
    }
    if (removed > 0) this.logger.log(`Removed ${removed} conversations in which nothing has happened for long enough`);
    if (failures.length > 0) throw failures[0];
    return removed;
  }

  /** A session that cannot be removed is added to the failures. */
  private async removeOf(
    tenantId: string,
    before: number,
    failures: unknown[],
    signal: AbortSignal | undefined,
  ): Promise<number> {
    let removed = 0;
    for (let page = await this.idle.find({ tenantId, before, limit: BATCH }); page.length > 0;) {
      for (const session of page) {
        if (signal?.aborted) return removed;
        try {
          if (await this.removal.removeIdle(session, (tx) => this.idle.isIdle(tx, session.rowId, before))) removed += 1;
        } catch (error) {
          // When the database is away, each of them would wait for it.
          if (isUnavailable(error)) throw error;
          failures.push(error);
        }
      }
      page = await this.idle.find({ tenantId, before, limit: BATCH, after: page.at(-1) });
    }
    return removed;
  }
}

/** The chore `conversations`. */
@Injectable()
export class ConversationChore {
  constructor(chores: Chores, settings: RunSettings, retention: ConversationRetention) {
    // Wires may keep something with sessions, and a worker has no wires.
    if (settings.role === 'worker') return;
    chores.register({ name: 'conversations', everyMs: EVERY_MS, work: (signal) => retention.removeAll(signal) });
  }
}
