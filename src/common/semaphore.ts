/** Lets a limited number of operations take place at once. The others wait for their turn: first come, first served. */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];

  /** @param free how many operations may take place at once */
  constructor(private free: number) {}

  /** How many operations wait. */
  get waitingCount(): number {
    return this.waiting.length;
  }

  /** Undefined if the operation may begin at once; otherwise resolves when it may. Needs one `release`. */
  acquire(): Promise<void> | undefined {
    if (this.free > 0) {
      this.free -= 1;
      return undefined;
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** The operation is over. */
  release(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free += 1;
  }
}
