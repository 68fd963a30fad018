import { Injectable, Logger } from '@nestjs/common';
import { Chores } from '../../chores/index.js';
import { Clock } from '../../common/index.js';
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
   * @throws the driver's error
   */
  async removeAll(signal?: AbortSignal): Promise<number> {
    let removed = 0;
    for (const [tenantId, ms] of await this.retention.eachTenant('conversations')) {
      removed += await this.removeOf(tenantId, this.clock.now() - ms, signal);
    }
    if (removed > 0) this.logger.log(`Removed ${removed} conversations in which nothing has happened for long enough`);
    return removed;
  }

  private async removeOf(tenantId: string, before: number, signal: AbortSignal | undefined): Promise<number> {
    let removed = 0;
    for (let page = await this.idle.find({ tenantId, before, limit: BATCH }); page.length > 0;) {
      for (const session of page) {
        if (signal?.aborted) return removed;
        if (await this.removal.removeIdle(session, (tx) => this.idle.isIdle(tx, session.rowId, before))) removed += 1;
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
