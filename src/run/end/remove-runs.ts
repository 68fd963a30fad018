import { Injectable, Logger } from '@nestjs/common';
import { AuditTrail } from '../../audit/index.js';
import { AppError, type Origin, type Principal, type Reach, Clock, SERVER_ORIGIN } from '../../common/index.js';
import { type AfterRemoval, SessionCleaners } from '../../agent/session/index.js';
import type { Transaction } from '../../database/index.js';
import type { IdleSession } from '../ports/idle-sessions.js';
import { RunLedger } from '../run-ledger.js';
import { isForgotten, type RunRecord } from '../run-record.js';
import { EndRuns } from './end-runs.js';
import { RunSignals } from './run-signals.js';

/** Removes runs and sessions that have ended, with everything that other features store with them. */
@Injectable()
export class RemovalTransaction {
  constructor(
    private readonly ledger: RunLedger,
    private readonly cleaners: SessionCleaners,
    private readonly clock: Clock,
  ) {}

  /**
   * Removes a run, which the caller has locked, with its log, its interrupts and its messages in the session.
   *
   * @returns what to do after the commit; undefined when the run has not ended, and nothing was removed
   */
  async removeRun(tx: Transaction, run: RunRecord): Promise<readonly AfterRemoval[] | undefined> {
    if (run.finishedAt === null) return undefined;
    const { runs, log, sessions, interrupts } = this.ledger;
    const after = await this.cleaners.cleanRun(tx, { runId: run.id, ...run });
    await log.remove(tx, [run.rowId]);
    await interrupts.remove(tx, { runRowId: run.rowId }, this.clock.now());
    await sessions.removeRun(tx, run.sessionRowId, run.rowId);
    await runs.remove(tx, run.rowId);
    return after;
  }

  /**
   * Removes a session with its messages and its runs.
   *
   * @param isRemovable asked when the session and its runs are locked
   * @returns what to do after the commit; undefined when a run has not ended or the session is not removable, and nothing was
   *   removed
   */
  async removeSession(
    tx: Transaction,
    sessionRowId: number,
    isRemovable?: () => Promise<boolean>,
  ): Promise<readonly AfterRemoval[] | undefined> {
    const { runs, log, sessions, interrupts } = this.ledger;
    // Locks runs before their session, as the end of a run does; then those that were accepted meanwhile.
    await runs.ofSessionForUpdate(tx, sessionRowId);
    await sessions.lock(tx, sessionRowId);
    const ofSession = await runs.ofSessionForUpdate(tx, sessionRowId);
    if (ofSession.some(({ finishedAt }) => finishedAt === null)) return undefined;
    if (isRemovable && !(await isRemovable())) return undefined;
    const owner = await sessions.owner(tx, sessionRowId);
    const after = owner ? await this.cleaners.cleanSession(tx, owner) : [];
    await interrupts.remove(tx, { sessionRowId }, this.clock.now());
    await log.remove(
      tx,
      ofSession.map(({ rowId }) => rowId),
    );
    await runs.removeOfSession(tx, sessionRowId);
    await sessions.remove(tx, sessionRowId);
    return after;
  }
}

/** How often the runs of a session are canceled again because more were accepted meanwhile. */
const ROUNDS = 5;

/** Removes runs and sessions. Runs that have not ended are canceled first. */
@Injectable()
export class RemoveRuns {
  private readonly logger = new Logger(RemoveRuns.name);

  constructor(
    private readonly ledger: RunLedger,
    private readonly removal: RemovalTransaction,
    private readonly ends: EndRuns,
    private readonly signals: RunSignals,
    private readonly trail: AuditTrail,
  ) {}

  /** @throws AppError RUN_NOT_FOUND; SESSION_BUSY when the run does not end in time */
  async removeRun(reach: Reach, runId: string, by: Origin = SERVER_ORIGIN): Promise<void> {
    const { runs } = this.ledger;
    const run = await runs.find(reach, runId);
    if (!run || isForgotten(run)) throw new AppError('RUN_NOT_FOUND');
    if (run.finishedAt === null) await this.ends.endAll([run]);
    const after = await this.ledger.write(async (tx) => {
      const locked = await runs.findForUpdate(tx, reach, runId);
      if (!locked) return [];
      const { tenantId } = locked;
      const after = await this.removal.removeRun(tx, locked);
      const subject = { kind: 'run', id: runId } as const;
      if (after) await this.trail.write(tx, { tenantId, action: 'run.deleted', by, subject, runId });
      return after;
    });
    if (!after) throw new AppError('SESSION_BUSY', 'The run did not end in time');
    await this.complete(after);
  }

  /** @throws AppError SESSION_NOT_FOUND; SESSION_BUSY when its runs do not end in time */
  async removeSession(principal: Principal, sessionId: string, by: Origin = SERVER_ORIGIN): Promise<void> {
    const { runs, sessions } = this.ledger;
    const sessionRowId = await sessions.findRowId(principal, sessionId);
    if (sessionRowId === undefined) throw new AppError('SESSION_NOT_FOUND');
    for (let round = 0; round < ROUNDS; round += 1) {
      await this.ends.endAll(await runs.active(sessionRowId));
      const after = await this.ledger.write(async (tx) => {
        const steps = await this.removal.removeSession(tx, sessionRowId);
        const subject = { kind: 'thread', id: sessionId } as const;
        if (steps) await this.trail.write(tx, { tenantId: principal.tenantId, action: 'thread.deleted', by, subject });
        return steps;
      });
      if (after) return this.complete(after);
    }
    throw new AppError('SESSION_BUSY', 'The runs of this session did not end in time');
  }

  /**
   * Removes a session in the name of the server, because it is old.
   *
   * @param isIdle whether nothing has happened in it meanwhile; asked when it is locked
   * @returns false, and changes nothing, if something has, or if it is gone
   */
  async removeIdle(
    { rowId, tenantId, sessionId }: IdleSession,
    isIdle: (tx: Transaction) => Promise<boolean>,
  ): Promise<boolean> {
    const after = await this.ledger.write(async (tx) => {
      const steps = await this.removal.removeSession(tx, rowId, () => isIdle(tx));
      const act = { action: 'thread.deleted', by: SERVER_ORIGIN, details: { cause: 'retention' } } as const;
      if (steps) await this.trail.write(tx, { ...act, tenantId, subject: { kind: 'thread', id: sessionId } });
      return steps;
    });
    if (after) await this.complete(after);
    return after !== undefined;
  }

  /** What follows a removal that is committed. */
  private async complete(after: readonly AfterRemoval[]): Promise<void> {
    this.signals.removed();
    await completeRemoval(after, this.logger);
  }
}

/** Does what follows a removal that is committed. A failure is logged. */
export async function completeRemoval(after: readonly AfterRemoval[], logger: Logger): Promise<void> {
  for (const step of after)
    await step().catch((error: unknown) => logger.error(`A removal was not completed: ${String(error)}`));
}
