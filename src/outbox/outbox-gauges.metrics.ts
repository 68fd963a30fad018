import { Injectable } from '@nestjs/common';
import { Clock, Metrics } from '../common/index.js';
import { PushHostSettings } from './push-hosts.settings.js';
import { OutboxStore } from './ports/outbox-store.js';

/** How long a reading of the database is used, in milliseconds. */
const FRESH_MS = 5000;

/** For how long the oldest row of a store has waited, in seconds. Read again after five seconds at the earliest. */
export class OldestWaiting {
  private reading: { readonly at: number; readonly seconds: Promise<number> } | undefined;

  /** @param oldest when the oldest row was created, in milliseconds since the epoch; undefined without one */
  constructor(
    private readonly oldest: () => Promise<number | undefined>,
    private readonly clock: Clock,
  ) {}

  /** 0 if nothing waits. @throws the driver's error */
  seconds(): Promise<number> {
    if (this.reading && performance.now() - this.reading.at < FRESH_MS) return this.reading.seconds;
    const seconds = this.oldest().then((at) => (at === undefined ? 0 : Math.max(0, this.clock.now() - at) / 1000));
    this.reading = { at: performance.now(), seconds };
    seconds.catch(() => (this.reading = undefined));
    return seconds;
  }
}

/** Gauges of what waits in the outbox. */
@Injectable()
export class OutboxGauges {
  constructor(metrics: Metrics, store: OutboxStore, settings: PushHostSettings, clock: Clock) {
    const waiting = new OldestWaiting(() => store.oldestWaiting(), clock);
    metrics.gauge(
      {
        name: 'parley_outbox_oldest_waiting_seconds',
        help: 'How long the oldest push notification that is still to be sent has waited, in all instances; 0 without one.',
      },
      () => (settings.isOn ? waiting.seconds() : Promise.resolve(0)),
    );
  }
}
