/** How often a process looks for what is due, in milliseconds: a first attempt is made within a second. */
const LOOK_MS = 400;
/** So long after its last write a process looks each time: the transaction of the write may end later. */
const BUSY_MS = 5000;
/** How long a look of an idle process, for retries and for what others wrote, may wait for its other looks. */
const IDLE_WITHIN_MS = 1000;

/** What is looked for, and what becomes of it. */
export interface DueDeliveries {
  /** How long ago this process has last written something to deliver, in milliseconds; it may not be committed yet. */
  quietMs(): number;
  /** Whether anything is due. @param withinMs how long the answer may take, so that it needs no transaction of its own */
  isAnyDue(withinMs: number): Promise<boolean>;
  /** Takes what is due and delivers it. */
  work(): Promise<void>;
  /** A look or the work has failed: the next look does it again. */
  failed(error: unknown): void;
}

/** Looks for deliveries that are due: soon after this process has written some, and along with its other looks else. */
export class DeliveryLooks {
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> | undefined;
  private idleLook: Promise<void> | undefined;
  private isStopped = false;

  constructor(private readonly due: DueDeliveries) {}

  /** Begins to look. */
  start(): void {
    this.timer = setInterval(() => {
      if (this.due.quietMs() < BUSY_MS) this.work();
      else this.idleLook ??= this.lookIdly().finally(() => (this.idleLook = undefined));
    }, LOOK_MS).unref();
  }

  /** Ends the looks, and waits for the work that has begun. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.working;
  }

  private work(): void {
    this.working ??= this.due
      .work()
      .catch((error: unknown) => this.due.failed(error))
      .finally(() => (this.working = undefined));
  }

  private async lookIdly(): Promise<void> {
    try {
      if ((await this.due.isAnyDue(IDLE_WITHIN_MS)) && !this.isStopped) this.work();
    } catch (error) {
      this.due.failed(error);
    }
  }
}
