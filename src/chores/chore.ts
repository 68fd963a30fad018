/** Work of the whole installation that one instance does in each period. */
export interface Chore {
  /** Unique; the key of its row, and a label of metrics. */
  readonly name: string;
  /** The period in milliseconds. */
  readonly everyMs: number;
  /**
   * Does everything that is to do. It may be cut short and done twice, so each of its steps is a transaction of its own.
   *
   * @param signal aborts when the process ends or has lost the turn
   * @throws anything: it is logged, and the chore is due again soon
   */
  readonly work: (signal: AbortSignal) => Promise<unknown>;
}
