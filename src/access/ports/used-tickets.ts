/** Which tickets, and other things that hold once, have been used, for all servers of one database. */
export abstract class UsedTickets {
  /**
   * Marks a ticket as used.
   *
   * @param ticket.expiresAt when it would have expired: it is remembered until then, in milliseconds since the epoch
   * @returns false if it was used before
   */
  abstract use(ticket: {
    readonly id: string;
    readonly tenantId: string;
    readonly expiresAt: number;
  }): Promise<boolean>;

  /** Whether a ticket was used. @param id at most 36 characters */
  abstract isUsed(id: string): Promise<boolean>;
}
