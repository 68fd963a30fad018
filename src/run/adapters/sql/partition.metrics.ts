import type { Metrics } from '../../../common/index.js';

/** Shows how many rows of events are outside of all partitions. @param most what `count` counts to */
export function showDefaultRows(metrics: Metrics, most: number, count: () => Promise<number>): void {
  metrics.gauge(
    {
      name: 'parley_default_partition_rows',
      help: `Rows of events without a partition of their own, at most ${most}: none, unless partitions could not be created.`,
    },
    count,
  );
}
