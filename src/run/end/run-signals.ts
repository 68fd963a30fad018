import { Injectable } from '@nestjs/common';
import { Dispatcher } from '../ports/dispatcher.js';
import { RunRelay } from '../ports/run-relay.js';
import type { RunRecord } from '../run-record.js';
import { RunMetrics } from '../run.metrics.js';

/** Says what a transaction has done to runs: to their workers, to their readers and in the metrics. Called after the commit. */
@Injectable()
export class RunSignals {
  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly relay: RunRelay,
    private readonly metrics: RunMetrics,
  ) {}

  /** A run was accepted. */
  accepted(run: RunRecord): void {
    this.relay.announce(run);
    this.relay.listChanged();
  }

  /** A run that was never started has ended. */
  endedUnstarted(run: RunRecord): void {
    this.metrics.finished.with(run.state).add();
    this.relay.changed(run);
    this.relay.listChanged();
  }

  /** Runs were removed. They had ended, so that nobody waits for their events. */
  removed(): void {
    this.relay.listChanged();
  }

  /** A run that had not ended was canceled: its worker, here or elsewhere, ends it, unless it was never started. */
  canceled(run: RunRecord): void {
    if (run.finishedAt !== null) this.endedUnstarted(run);
    else if (!this.dispatcher.cancel(run.rowId) && run.leaseOwner !== null) this.relay.signal(run.leaseOwner);
  }
}
