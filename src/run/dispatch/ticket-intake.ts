import { Injectable, Logger } from '@nestjs/common';
import { RunTickets, type Ticket } from '../ports/run-tickets.js';
import { Executions } from './executions.js';
import { HeldRuns } from './held-runs.js';

/** Tickets that are taken at once: their runs are claimed in one transaction. */
const BATCH = 16;
/** How often a ticket is passed on to other processes, and after how many milliseconds. */
const PASSES = 5;
const PASS_MS = 50;
/** Milliseconds before the next attempt after the ledger has failed. */
const PAUSE_MS = 1000;

/** Takes tickets while this process has free slots, and claims their runs. */
@Injectable()
export class TicketIntake {
  private readonly logger = new Logger('Tickets');
  private readonly stopping = new AbortController();
  private working: Promise<void> | undefined;
  /** Set while it waits for a free slot. */
  private resume: (() => void) | undefined;
  /** Since when it waits for a ticket, by the monotonic clock of the process; undefined while it does not. */
  private idleSince: number | undefined;

  constructor(
    private readonly tickets: RunTickets,
    private readonly leases: HeldRuns,
    private readonly executions: Executions,
  ) {}

  /** Begins to take tickets. */
  start(): void {
    this.working ??= this.work();
  }

  /** Takes no more tickets. Resolves when what was taken is claimed. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.resume?.();
    await this.working;
  }

  /** There may be a free slot. */
  wake(): void {
    this.resume?.();
  }

  /** Whether it has been waiting for tickets for a time: another process's run would have been brought by one. */
  hasWaited(milliseconds: number): boolean {
    return this.idleSince !== undefined && performance.now() - this.idleSince >= milliseconds;
  }

  private async work(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const free = this.leases.claimable;
      if (free <= 0) {
        await this.room();
        continue;
      }
      this.idleSince = performance.now();
      const taken = await this.tickets.take(Math.min(free, BATCH), signal);
      this.idleSince = undefined;
      const left = await this.claim(taken.tickets);
      // The next tickets need not wait for it.
      void taken.finish().then(() => left.forEach(({ ticket, delayMs }) => this.tickets.add(ticket, delayMs)));
    }
  }

  /** Claims the runs of tickets. Returns the tickets that are for other processes. */
  private async claim(tickets: readonly Ticket[]): Promise<readonly { ticket: Ticket; delayMs: number }[]> {
    const wanted: Ticket[] = [];
    const left: { ticket: Ticket; delayMs: number }[] = [];
    for (const ticket of tickets) {
      const room = this.leases.hold(ticket.tenantId);
      if (room === 'held') wanted.push(ticket);
      else if (room === 'full') left.push({ ticket, delayMs: 0 });
      else if ((ticket.passed ?? 0) < PASSES) {
        left.push({ ticket: { ...ticket, passed: (ticket.passed ?? 0) + 1 }, delayMs: PASS_MS });
      }
    }
    try {
      for (const run of await this.leases.claimHeld(wanted)) this.executions.begin(run);
    } catch (error) {
      this.logger.warn(`Runs could not be claimed: ${String(error)}`);
      await this.room(PAUSE_MS);
    }
    return left;
  }

  /** Resolves when a slot may be free. It looks again from time to time, because the lease may have been lost. */
  private async room(withinMs = PAUSE_MS): Promise<void> {
    if (this.stopping.signal.aborted) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.resume = resolve;
      timer = setTimeout(resolve, withinMs);
    });
    clearTimeout(timer);
    this.resume = undefined;
  }
}
