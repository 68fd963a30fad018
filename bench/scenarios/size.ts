/** How much of everything is done. */
export interface Size {
  readonly quick: boolean;
  /** Measured rounds of each comparison. */
  readonly rounds: number;
  readonly soakMinutes: number;
}
