import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';

/** How often the delay is measured, and over which time it is judged, in milliseconds. */
const RESOLUTION_MS = 20;
const WINDOW_MS = 1000;
/** A delay above which streams suffer, in milliseconds: for more than one measurement in a hundred. */
const HIGH_MS = 200;

/** How late the event loop of this process gets to its work. */
@Injectable()
export class EventLoopLag implements OnModuleInit, OnModuleDestroy {
  private histogram: IntervalHistogram | undefined;
  private timer: NodeJS.Timeout | undefined;
  private high = false;

  /** Whether the delay was high in the last second. */
  get isHigh(): boolean {
    return this.high;
  }

  onModuleInit(): void {
    this.histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
    this.histogram.enable();
    this.timer = setInterval(() => this.judge(), WINDOW_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
    this.histogram?.disable();
  }

  private judge(): void {
    const { histogram } = this;
    if (!histogram) return;
    this.high = histogram.percentile(99) / 1e6 > HIGH_MS + RESOLUTION_MS;
    histogram.reset();
  }
}
