/** A partition of the events: those of the runs with a row id from `from` on and below `to`. */
export interface RunRange {
  readonly from: number;
  readonly to: number;
}

/** The partitions of the events by run. What is old is removed with its whole partition. */
export abstract class LogPartitions {
  /** Whether the database divides the events. */
  abstract readonly isUseful: boolean;

  /**
   * Creates the partitions of the runs that come next. Events that had no partition so far get one: writers and readers
   * wait for milliseconds, however many there are, and readers always find them.
   *
   * @returns how many were created
   * @throws the driver's error, such as that of a lock that was not had within a short time: nothing has changed then
   */
  abstract createAhead(): Promise<number>;

  /** The partitions whose runs all ended before a time, oldest first. */
  abstract ended(finishedBefore: number): Promise<readonly RunRange[]>;

  /**
   * Drops a partition if the events of all its runs count as removed. Their terminal events are kept.
   *
   * @returns false, and changes nothing, when a run of it has its events
   * @throws as `createAhead`
   */
  abstract drop(range: RunRange, signal?: AbortSignal): Promise<boolean>;
}
