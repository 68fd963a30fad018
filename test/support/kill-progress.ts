/** Kills between two lines of progress. */
const STEP = 10;

/** What came of kills, and how far a run of many of them is: written when their number was chosen with `KILLS`. */
export class KillProgress {
  private readonly startedAt = performance.now();
  private readonly tally: Record<string, number> = {};
  private done = 0;

  /**
   * @param name of what is killed
   * @param kills in all
   * @param isShown whether anything is written
   */
  constructor(
    private readonly name: string,
    private readonly kills: number,
    private readonly isShown = process.env.KILLS !== undefined,
  ) {}

  /** Counts an outcome. */
  count(outcome: string): void {
    this.tally[outcome] = (this.tally[outcome] ?? 0) + 1;
  }

  /** A kill and everything after it is over. */
  next(): void {
    this.done += 1;
    if (!this.isShown || (this.done % STEP !== 0 && this.done !== this.kills)) return;
    const seconds = ((performance.now() - this.startedAt) / 1000).toFixed(0);
    process.stdout.write(
      `${this.name}: ${this.done} of ${this.kills} kills in ${seconds} s: ${JSON.stringify(this.tally)}\n`,
    );
  }
}
