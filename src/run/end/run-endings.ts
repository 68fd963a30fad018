import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/index.js';
import { RunTail } from '../log/run-tail.js';
import type { RunRecord } from '../ports/run-store.js';
import { RunCancel } from './run-cancel.js';

/** Brings runs to their end and waits for it. */
@Injectable()
export class RunEndings {
  constructor(
    private readonly cancels: RunCancel,
    private readonly tails: RunTail,
  ) {}

  /** Cancels the runs and resolves when they are over, or after so many milliseconds. */
  async end(principal: Principal, runs: readonly RunRecord[], withinMs: number): Promise<void> {
    for (const run of runs) await this.cancels.cancel(principal, run.id);
    const signal = AbortSignal.timeout(withinMs);
    for (const run of runs) {
      const rest = this.tails.read(() => Promise.resolve(run), { after: run.nextSeq - 1, signal });
      for await (const events of rest) void events;
    }
  }
}
