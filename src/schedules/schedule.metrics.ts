import { Injectable } from '@nestjs/common';
import { Metrics } from '../common/index.js';
import { ScheduleStore } from './ports/schedule-store.js';

/** How long a reading of the database is used, in milliseconds. */
const FRESH_MS = 5000;

/** What schedules count. */
@Injectable()
export class ScheduleMetrics {
  /** Planned times of this process, by outcome. */
  readonly firings;
  private reading: { readonly at: number; readonly seconds: Promise<number> } | undefined;

  constructor(
    metrics: Metrics,
    private readonly store: ScheduleStore,
  ) {
    this.firings = metrics.counters({
      name: 'parley_schedule_firings_total',
      help: 'Planned times of schedules, by what became of them.',
      labels: ['outcome'],
    });
    metrics.gauge(
      {
        name: 'parley_schedule_overdue_seconds',
        help: 'How late the planned time is that is late by the most, in all instances; 0 without one.',
      },
      () => this.overdue(),
    );
  }

  private overdue(): Promise<number> {
    if (this.reading && performance.now() - this.reading.at < FRESH_MS) return this.reading.seconds;
    const seconds = this.store.overdue().then((late) => Math.max(0, late.seconds));
    this.reading = { at: performance.now(), seconds };
    seconds.catch(() => (this.reading = undefined));
    return seconds;
  }
}
