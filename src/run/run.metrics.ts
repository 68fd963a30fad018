import { Injectable } from '@nestjs/common';
import { type Counter, type Histogram, type Labelled, LONG_SECONDS, Metrics, SHORT_SECONDS } from '../common/index.js';
import type { LogWrite } from './ports/run-log.js';

/** The events that every run begins with (`firstEvents`): what follows is of its agent. */
const BEGINNING = 2;

/** What is counted of runs in this process. */
@Injectable()
export class RunMetrics {
  /** By wire. */
  readonly accepted;
  /** By the state that the run ended in. */
  readonly finished;
  readonly takenOver: Counter;
  readonly leasesLost: Counter;
  readonly attemptsExhausted: Counter;
  readonly commitSeconds: Histogram;
  readonly commitRetries: Counter;
  /** By agent, like the next two. */
  private readonly duration;
  private readonly queueWait;
  private readonly firstEvent;
  private readonly events: Counter;
  private readonly commitRuns: Histogram;

  constructor(readonly metrics: Metrics) {
    this.accepted = metrics.counters({
      name: 'parley_runs_accepted_total',
      help: 'Runs that were accepted; a repeated request is not counted again.',
      labels: ['wire'],
    });
    this.finished = metrics.counters({
      name: 'parley_runs_finished_total',
      help: 'Runs that have ended, by the state that they ended in.',
      labels: ['outcome'],
    });
    this.takenOver = metrics.counter({
      name: 'parley_runs_taken_over_total',
      help: 'Executions that continue a run after its worker was lost.',
    });
    this.leasesLost = metrics.counter({
      name: 'parley_leases_lost_total',
      help: 'Executions that were stopped because this process no longer held the run.',
    });
    this.attemptsExhausted = metrics.counter({
      name: 'parley_attempts_exhausted_total',
      help: 'Runs that failed because their workers were lost too often.',
    });
    this.commitSeconds = metrics.histogram({
      name: 'parley_commit_duration_seconds',
      help: 'How long a commit of events took, with the wait for a connection.',
      bounds: SHORT_SECONDS,
    });
    this.commitRetries = metrics.counter({
      name: 'parley_commit_retries_total',
      help: 'Writes of runs that were made again after their commit had failed.',
    });
    this.duration = byAgent(
      metrics,
      'parley_run_duration_seconds',
      'How long runs took from their acceptance to their end.',
      LONG_SECONDS,
    );
    this.queueWait = byAgent(
      metrics,
      'parley_run_queue_wait_seconds',
      'How long runs waited from their acceptance to their first execution.',
      LONG_SECONDS,
    );
    this.firstEvent = byAgent(
      metrics,
      'parley_run_first_event_seconds',
      'How long it took from the start of a run until the first event of its agent was committed.',
      SHORT_SECONDS,
    );
    this.events = metrics.counter({
      name: 'parley_events_committed_total',
      help: 'Events that were committed to run logs.',
    });
    this.commitRuns = metrics.histogram({
      name: 'parley_commit_runs',
      help: 'How many runs shared a commit.',
      bounds: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    });
  }

  /** Counts a commit that took this long. @param written which of the writes were made */
  committed(writes: readonly LogWrite[], written: readonly boolean[], milliseconds: number): void {
    this.commitSeconds.observe(milliseconds / 1000);
    this.commitRuns.observe(writes.length);
    writes.forEach((write, index) => {
      if (written[index]) this.wrote(write);
    });
  }

  /** A run begins to be executed here. Times are milliseconds since the epoch. */
  started(run: {
    readonly agentType: string;
    readonly attempt: number;
    readonly createdAt: number;
    readonly startedAt: number | null;
  }): void {
    if (run.attempt > 1) this.takenOver.add();
    else if (run.startedAt !== null) this.queueWait.with(run.agentType).observe(seconds(run.createdAt, run.startedAt));
  }

  private wrote({ run, firstSeq, lines, end, at }: LogWrite): void {
    this.events.add(lines.length);
    if (firstSeq <= BEGINNING && firstSeq + lines.length > BEGINNING && run.startedAt !== null) {
      this.firstEvent.with(run.agentType).observe(seconds(run.startedAt, at));
    }
    if (!end) return;
    this.finished.with(end.state).add();
    this.duration.with(run.agentType).observe(seconds(run.createdAt, at));
  }
}

function byAgent(metrics: Metrics, name: string, help: string, bounds: readonly number[]): Labelled<Histogram> {
  return metrics.histograms({ name, help, labels: ['agent'], bounds });
}

/** Never negative: the clocks of two machines differ. */
function seconds(from: number, to: number): number {
  return Math.max(0, to - from) / 1000;
}
