import type { Metrics } from '../../common/index.js';

/** Shows how many runs this process executes, and how many at most. */
export function showSlots(metrics: Metrics, slots: number, taken: () => number): void {
  metrics.gauge(
    { name: 'parley_run_slots', help: 'Runs that this process executes at the same time at most.' },
    () => slots,
  );
  metrics.gauge({ name: 'parley_runs_active', help: 'Runs that this process executes.' }, taken);
}
