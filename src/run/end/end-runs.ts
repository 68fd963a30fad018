import { Injectable } from '@nestjs/common';
import { userReach } from '../../common/index.js';
import { RunReader } from '../log/run-reader.js';
import type { RunRecord } from '../run-record.js';
import { RunSettings } from '../run.settings.js';
import { CancelRuns } from './cancel-runs.js';

/** What a worker may need beyond the grace of a cancel to write the end of a run, in milliseconds. */
const END_MS = 10_000;

/** Cancels runs and waits for their ends. */
@Injectable()
export class EndRuns {
  constructor(
    private readonly cancels: CancelRuns,
    private readonly reader: RunReader,
    private readonly settings: RunSettings,
  ) {}

  /** Resolves when all of the runs have ended, or after the longest time that a cancel may take. */
  async endAll(runs: readonly RunRecord[]): Promise<void> {
    for (const run of runs) await this.cancels.cancel(userReach(run), run.id);
    const signal = AbortSignal.timeout(this.settings.cancelGraceMs + END_MS);
    for (const run of runs) {
      const rest = this.reader.tail(() => Promise.resolve(run), { after: run.nextSeq - 1, signal });
      for await (const events of rest) void events;
    }
  }
}
