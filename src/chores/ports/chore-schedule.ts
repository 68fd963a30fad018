/** An instance's turn to work on a chore. The fence tells it from later turns. */
export interface ChoreTurn {
  readonly name: string;
  readonly fence: number;
}

/** When chores are due, for all instances on one database. Times are those of the database's clock. */
export abstract class ChoreSchedule {
  /**
   * In how many milliseconds each known chore is due; not above 0 for one that is due.
   *
   * @param withinMs how long the answer may take, so that it needs no transaction of its own
   */
  abstract waits(withinMs?: number): Promise<ReadonlyMap<string, number>>;

  /** Adds a chore that is due at once. Without effect if it is known. */
  abstract add(name: string): Promise<void>;

  /**
   * Takes the turn of a chore if it is due. Others do not get one for a time.
   *
   * @returns undefined when the chore is not due, or another instance has just taken the turn
   */
  abstract take(name: string, holdMs: number): Promise<ChoreTurn | undefined>;

  /**
   * Makes the chore of a turn due in some milliseconds from now.
   *
   * @returns false, and changes nothing, when a later turn was taken
   */
  abstract postpone(turn: ChoreTurn, milliseconds: number): Promise<boolean>;
}
