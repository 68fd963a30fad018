import { Injectable } from '@nestjs/common';
import { InterruptStore, NO_RESUMPTION, type Resumption } from '../../interrupt/index.js';
import { interruptRun, type RunRecord, RunStore, type StoredStep } from '../ports/run-store.js';

/** Where a run begins. */
export interface Past {
  /** The run whose input, history and answers count. */
  readonly base: { readonly rowId: number; readonly ordinal: number };
  readonly resumption: Resumption;
  /** Of the runs that this one does again. */
  readonly steps: readonly StoredStep[];
}

/** Finds where a run begins: at itself, or at the run that it does again because that one asked a question. */
@Injectable()
export class RunPast {
  constructor(
    private readonly store: RunStore,
    private readonly interrupts: InterruptStore,
  ) {}

  async of(run: RunRecord): Promise<Past> {
    const { resumes } = run.request;
    if (!resumes) return { base: run, resumption: NO_RESUMPTION, steps: [] };
    const [first] = resumes.reruns;
    const base = first ? { rowId: first.no, ordinal: first.ordinal } : run;
    const resumption = await this.interrupts.resumption(interruptRun(run), base.rowId);
    const steps = await Promise.all(resumes.reruns.map(({ no: rowId }) => this.store.steps(rowId)));
    return { base, resumption, steps: steps.flat() };
  }
}
