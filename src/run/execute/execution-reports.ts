import { Injectable } from '@nestjs/common';
import { RunObserver, type RunTelemetry } from '../../telemetry/index.js';
import { RunMetrics } from '../run.metrics.js';
import type { RunRecord } from '../run-record.js';

/** What operators see of the executions of runs: metrics, log lines and spans. */
@Injectable()
export class ExecutionReports {
  constructor(
    private readonly metrics: RunMetrics,
    private readonly observer: RunObserver,
  ) {}

  /** An execution begins. */
  begin(run: RunRecord): RunTelemetry {
    this.metrics.started(run);
    return this.observer.begin(run);
  }

  /** A run fails because its workers were lost too often. */
  attemptsExhausted(): void {
    this.metrics.attemptsExhausted.add();
  }

  /** An execution is stopped because this process no longer holds the run. */
  leaseLost(): void {
    this.metrics.leasesLost.add();
  }
}
