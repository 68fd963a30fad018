/** What a counter holds. */
export interface Count {
  readonly total: number;
  /** Milliseconds until it begins at 0 again. */
  readonly resetMs: number;
}

/** Numbers that begin at 0 again after a time, in this process or in a store that several processes share. */
export abstract class Counters {
  /**
   * Adds to a counter, or takes off when `points` is negative. The first addition begins its window.
   *
   * @param seconds how long the window is
   * @param limit what the caller compares the total with; totals beyond it need not be exact
   * @returns at once where nothing has to be asked
   * @throws the store's error, as a rejection
   */
  abstract add(key: string, points: number, seconds: number, limit: number): Count | Promise<Count>;

  /** Releases what the store holds. */
  abstract close(): Promise<void>;
}
