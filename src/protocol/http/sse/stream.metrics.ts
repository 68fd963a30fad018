import { Injectable } from '@nestjs/common';
import { Metrics } from '../../../common/index.js';

/** The wire of event streams that no wire has named. */
export const NO_WIRE = 'none';

/** What is counted of streams, by wire. */
@Injectable()
export class StreamMetrics {
  /** Bytes of frames. */
  readonly bytes;
  /** Streams that continue one that was cut. */
  readonly resumes;
  /** Readers that took nothing for too long. */
  readonly cut;

  constructor(private readonly metrics: Metrics) {
    const labels = ['wire'];
    this.bytes = metrics.counters({
      name: 'parley_stream_bytes_total',
      help: 'Bytes that were written to event streams.',
      labels,
    });
    this.resumes = metrics.counters({
      name: 'parley_stream_resumes_total',
      help: 'Streams that continue after a cursor of their client.',
      labels,
    });
    this.cut = metrics.counters({
      name: 'parley_slow_readers_cut_total',
      help: 'Readers that were disconnected because they took nothing for too long.',
      labels,
    });
  }

  /** Shows how many streams are open. @param wires that of each */
  watch(wires: () => Iterable<string>): void {
    this.metrics.gauge({ name: 'parley_streams_open', help: 'Event streams that are open.', labels: ['wire'] }, () => {
      const open = new Map<string, number>();
      for (const wire of wires()) open.set(wire, (open.get(wire) ?? 0) + 1);
      return [...open].map(([wire, count]) => [[wire], count] as const);
    });
  }
}
