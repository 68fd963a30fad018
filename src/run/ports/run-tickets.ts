/** A notice that a run waits for a worker. */
export interface Ticket {
  readonly rowId: number;
  /** The run's fence while it waits: when it waits again, it has another ticket. */
  readonly fence: number;
  readonly tenantId: string;
  /** As `RunRecord.place`: tickets with a smaller place are taken first. */
  readonly place: number;
  /** True for a run that has waited for long: its ticket comes before others, and is not the one that it had before. */
  readonly isUrgent?: boolean;
  /** How often a worker has passed the ticket on, because its tenant had as many runs there as it may. Default 0. */
  readonly passed?: number;
}

/** Tickets that a worker has taken. */
export interface TakenTickets {
  readonly tickets: readonly Ticket[];
  /** To be called once the ledger has answered whether the runs were claimed. A ticket can be added again after it. */
  finish(): Promise<void>;
}

/**
 * Notifies workers with a free slot of runs that wait. A ticket is a hint: it may be lost, repeated or reordered, and
 * whether its run can be claimed is decided by the ledger. Nothing here throws, and nobody who adds a ticket waits.
 */
export abstract class RunTickets {
  /** Whether tickets reach other processes now. While they do, few runs are left for a search in the ledger. */
  abstract readonly isLive: boolean;

  /** How many runs were found in the ledger although a ticket should have brought them. */
  abstract readonly missed: number;

  /** Notifies a worker. A ticket that waits already is not added again. @param delayMs when to do so, default now */
  abstract add(ticket: Ticket, delayMs?: number): void;

  /**
   * Waits for tickets. One caller at a time.
   *
   * @returns at most `limit`, those with the smallest place first; none when the signal aborts
   */
  abstract take(limit: number, signal: AbortSignal): Promise<TakenTickets>;

  /** Reports runs that a process with free slots has found in the ledger. */
  abstract noteMissed(count: number): void;
}
