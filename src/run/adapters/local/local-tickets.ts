import { Injectable } from '@nestjs/common';
import { RunTickets, type TakenTickets, type Ticket } from '../../ports/run-tickets.js';

/** More are dropped: the runs are found in the ledger. */
const MOST_TICKETS = 10_000;

/** Tickets of this process, for this process. */
@Injectable()
export class LocalTickets extends RunTickets {
  readonly isLive: boolean = false;
  readonly missed: number = 0;
  private readonly waiting = new Map<string, Ticket>();
  private notify: (() => void) | undefined;

  /** Whether somebody waits for a ticket. */
  get isAwaited(): boolean {
    return this.notify !== undefined;
  }

  add(ticket: Ticket, delayMs = 0): void {
    if (delayMs > 0) {
      setTimeout(() => this.add(ticket), delayMs).unref();
      return;
    }
    if (this.waiting.size < MOST_TICKETS) this.waiting.set(idOf(ticket), ticket);
    this.notify?.();
  }

  async take(limit: number, signal: AbortSignal): Promise<TakenTickets> {
    if (this.waiting.size === 0) await this.arrival(signal);
    return { tickets: signal.aborted ? [] : this.poll(limit), finish: () => Promise.resolve() };
  }

  /** The tickets that wait, at most `limit`. */
  poll(limit: number): readonly Ticket[] {
    if (this.waiting.size === 0) return [];
    const first = [...this.waiting.values()].sort((a, b) => rank(a) - rank(b)).slice(0, limit);
    for (const ticket of first) this.waiting.delete(idOf(ticket));
    return first;
  }

  /** Resolves when a ticket is added, the signal aborts, or `interrupt` is called. */
  async arrival(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    let notify: () => void = () => undefined;
    await new Promise<void>((resolve) => {
      notify = resolve;
      this.notify = notify;
      signal.addEventListener('abort', notify);
    });
    signal.removeEventListener('abort', notify);
    this.notify = undefined;
  }

  /** Ends the wait of `arrival`. */
  interrupt(): void {
    this.notify?.();
  }

  noteMissed(): void {
    // Without other processes nothing can be missed that a sweep of this one does not find.
  }
}

/** What makes two tickets the same. */
export function idOf({ rowId, fence, isUrgent, passed = 0 }: Ticket): string {
  return `run-${rowId}-${fence}${isUrgent ? '-urgent' : ''}${passed > 0 ? `-${passed}` : ''}`;
}

/** Smaller ranks are taken first. */
export function rank({ place, isUrgent }: Ticket): number {
  return isUrgent ? 1 : place + 2;
}
