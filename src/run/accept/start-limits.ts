import { Injectable } from '@nestjs/common';
import { AppError } from '../../common/index.js';
import { RunLimits } from '../ports/run-limits.js';
import { FleetSettings } from '../fleet.settings.js';
import { RunMetrics } from '../run.metrics.js';
import { RunSettings } from '../run.settings.js';
import { DEFAULT_WIRE, type RunRequest } from '../run.types.js';
import type { Acceptance, AcceptOptions } from './accept-transaction.js';

/** Limits as the transaction checks them. */
type Checked = Pick<AcceptOptions, 'queueLimit' | 'queue' | 'active'>;

/** What an accepted run has to respect: the limits of its session, its owner and its tenant. */
@Injectable()
export class StartLimits {
  constructor(
    private readonly limits: RunLimits,
    private readonly settings: RunSettings,
    private readonly metrics: RunMetrics,
    private readonly fleet: FleetSettings,
  ) {}

  /**
   * Accepts a run and counts its start. A repeated request and a refused one start nothing and are not counted.
   *
   * @param isRepeated whether the request was accepted before: asked if there were too many starts
   * @throws AppError RATE_LIMIT_EXCEEDED; what `accept` throws
   */
  async counted(
    { principal, requester, wire = DEFAULT_WIRE }: RunRequest,
    isRepeated: () => Promise<boolean>,
    accept: (limits: Checked) => Promise<Acceptance>,
  ): Promise<Acceptance> {
    const { queueLimit } = this.settings;
    const queue = { tenant: this.fleet.tenantQueueLimit, fleet: this.fleet.fleetQueueLimit };
    const start = await this.limits.countStart(principal, requester?.runsPerMinute).catch(async (error: unknown) => {
      const isRefused = error instanceof AppError && error.code === 'RATE_LIMIT_EXCEEDED';
      if (isRefused && (await isRepeated())) return undefined;
      throw error;
    });
    let hasStarted = false;
    try {
      const accepted = await accept({ queueLimit, queue, active: start?.active });
      hasStarted = accepted.created;
      if (hasStarted) this.metrics.accepted.with(wire).add();
      return accepted;
    } finally {
      if (!hasStarted) start?.undo();
    }
  }
}
