import { isUnavailable } from '../../database/index.js';
import type { RunControl } from './run-control.js';

/** Time between two attempts, in milliseconds. */
const PAUSE_MS = 250;

/**
 * Repeats reads that a run needs while the database is unavailable, until the run is stopped: a request is refused then,
 * but a run that was accepted waits as long as its lease holds.
 *
 * @throws the error of `read`
 */
export async function whileUnavailable<T>(read: () => Promise<T>, control: RunControl): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!isUnavailable(error) || control.stopped || performance.now() >= control.deadline) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
