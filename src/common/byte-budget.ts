/** An account of a budget: who uses it, and how many bytes that may be. */
export interface ByteAccount {
  readonly key: string;
  readonly limit: number;
}

/** Bytes that were taken from a budget, or wait for it. */
export interface ByteHold {
  /** Resolves when the bytes are granted; undefined if they were at once. Never rejected, and not resolved after `release`. */
  readonly granted: Promise<void> | undefined;
  /** Gives a part back. @param bytes what is kept; nothing changes if that is more */
  shrink(bytes: number): void;
  /** Gives all back, or waits no longer. May be called more than once. */
  release(): void;
}

/**
 * Bounds the memory that others make this process hold. Whoever finds no room waits; of one account, first come, first
 * served, and an account that is full delays no other.
 */
export class ByteBudget {
  private readonly used = new Map<string, number>();
  private waiting: Hold[] = [];

  /**
   * Takes bytes, all at once, from several accounts.
   *
   * @param accounts the one that is likely to be full last
   * @param bytes counts as the smallest limit if it is more, so that everything is granted at some time
   */
  take(accounts: readonly ByteAccount[], bytes: number): ByteHold {
    const hold = this.hold(accounts, bytes);
    this.waiting.push(hold);
    this.serve();
    if (!hold.isGranted) hold.granted = new Promise((resolve) => (hold.grant = resolve));
    return hold;
  }

  /** Takes bytes as `take`; undefined if there is no room now, or never will be because a limit is less. */
  tryTake(accounts: readonly ByteAccount[], bytes: number): ByteHold | undefined {
    if (accounts.some(({ limit }) => bytes > limit)) return undefined;
    const hold = this.hold(accounts, bytes);
    if (this.fullAccount(hold)) return undefined;
    this.charge(hold, hold.bytes);
    hold.isGranted = true;
    return hold;
  }

  private hold(accounts: readonly ByteAccount[], bytes: number): Hold {
    const most = Math.min(bytes, ...accounts.map(({ limit }) => limit));
    return new Hold(
      accounts,
      most,
      (hold, kept) => this.giveBack(hold, kept),
      (hold) => this.leave(hold),
    );
  }

  private leave(hold: Hold): void {
    if (!hold.isGranted) this.waiting = this.waiting.filter((one) => one !== hold);
    this.giveBack(hold, 0);
  }

  private giveBack(hold: Hold, kept: number): void {
    if (hold.isGranted) this.charge(hold, kept - hold.bytes);
    hold.bytes = kept;
    this.serve();
  }

  /** Grants what has room, in the order in which it came; nobody overtakes others of an account that is full. */
  private serve(): void {
    if (this.waiting.length === 0) return;
    const full = new Set<string>();
    const left: Hold[] = [];
    for (const hold of this.waiting) {
      const isBehind = hold.accounts.some(({ key }) => full.has(key));
      const fullKey = isBehind ? undefined : this.fullAccount(hold)?.key;
      if (fullKey !== undefined) full.add(fullKey);
      if (isBehind || fullKey !== undefined) {
        left.push(hold);
        continue;
      }
      this.charge(hold, hold.bytes);
      hold.isGranted = true;
      hold.grant();
    }
    this.waiting = left;
  }

  private fullAccount({ accounts, bytes }: Hold): ByteAccount | undefined {
    return accounts.find(({ key, limit }) => (this.used.get(key) ?? 0) + bytes > limit);
  }

  private charge({ accounts }: Hold, change: number): void {
    for (const { key } of accounts) {
      const bytes = (this.used.get(key) ?? 0) + change;
      if (bytes > 0) this.used.set(key, bytes);
      else this.used.delete(key);
    }
  }
}

class Hold implements ByteHold {
  granted: Promise<void> | undefined;
  isGranted = false;
  /** Resolves `granted`. */
  grant: () => void = () => undefined;

  constructor(
    readonly accounts: readonly ByteAccount[],
    public bytes: number,
    private readonly giveBack: (hold: Hold, kept: number) => void,
    private readonly leave: (hold: Hold) => void,
  ) {}

  shrink(bytes: number): void {
    if (bytes < this.bytes) this.giveBack(this, bytes);
  }

  release(): void {
    this.leave(this);
  }
}
