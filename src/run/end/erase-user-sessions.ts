import { Injectable, Logger } from '@nestjs/common';
import type { AfterRemoval } from '../../agent/session/index.js';
import { AppError } from '../../common/index.js';
import type { Erasure, UserCleaner } from '../../data-protection/index.js';
import { UserSessions } from '../ports/user-sessions.js';
import { RunLedger } from '../run-ledger.js';
import { EndRuns } from './end-runs.js';
import { completeRemoval, RemovalTransaction } from './remove-runs.js';
import { RunSignals } from './run-signals.js';

const BATCH = 100;
/** How often the runs of a session are canceled again because more were accepted before the user was blocked. */
const ROUNDS = 5;

/** Stops the runs of a user and removes its sessions, with everything that `SessionCleaners` know of. */
@Injectable()
export class UserSessionCleaner implements UserCleaner {
  private readonly logger = new Logger(UserSessionCleaner.name);

  constructor(
    private readonly ledger: RunLedger,
    private readonly sessions: UserSessions,
    private readonly ends: EndRuns,
    private readonly removal: RemovalTransaction,
    private readonly signals: RunSignals,
  ) {}

  /** @throws AppError SESSION_BUSY if a run does not end in time */
  async cleanUser(erasure: Erasure): Promise<void> {
    for (;;) {
      const some = await this.sessions.some(erasure.user, BATCH);
      for (const sessionRowId of some) {
        erasure.signal.throwIfAborted();
        await this.removeSession(erasure, sessionRowId);
      }
      if (some.length < BATCH) return;
    }
  }

  private async removeSession(erasure: Erasure, sessionRowId: number): Promise<void> {
    for (let round = 0; round < ROUNDS; round += 1) {
      await this.ends.endAll(await this.ledger.runs.active(sessionRowId));
      let after: readonly AfterRemoval[] | undefined;
      await erasure.write(async (tx) => {
        const counts = await this.sessions.count(tx, sessionRowId);
        after = await this.removal.removeSession(tx, sessionRowId);
        return after ? counts : {};
      });
      if (!after) continue;
      this.signals.removed();
      return completeRemoval(after, this.logger);
    }
    throw new AppError('SESSION_BUSY', 'The runs of a session did not end in time');
  }
}
