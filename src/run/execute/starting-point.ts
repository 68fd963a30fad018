import { Injectable } from '@nestjs/common';
import { InterruptStore, NO_RESUMPTION, type Resumption } from '../../agent/interrupt/index.js';
import { type JournalStep, RunLog } from '../ports/run-log.js';
import { interruptRun, type RunKey, type RunRecord } from '../run-record.js';

/** Where the execution of a run starts. */
export interface StartingPoint {
  /** The run whose input, history and answers count. */
  readonly base: RunKey;
  readonly resumption: Resumption;
  /** The journals of the runs that this one repeats. */
  readonly steps: readonly JournalStep[];
}

/** Loads where a run starts: at itself, or at the run that it repeats because that one opened an input interrupt. */
@Injectable()
export class StartingPoints {
  constructor(
    private readonly log: RunLog,
    private readonly interrupts: InterruptStore,
  ) {}

  async load(run: RunRecord): Promise<StartingPoint> {
    const { resumes } = run.request;
    if (!resumes) return { base: run, resumption: NO_RESUMPTION, steps: [] };
    const base = resumes.reruns[0] ?? run;
    const resumption = await this.interrupts.resumption(interruptRun(run), base.rowId);
    const steps = await Promise.all(resumes.reruns.map(({ rowId }) => this.log.steps(rowId)));
    return { base, resumption, steps: steps.flat() };
  }
}
