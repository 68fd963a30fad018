import { Injectable } from '@nestjs/common';
import type { Transaction } from '../../database/index.js';
import { LoggedEvent } from '../../events/index.js';
import type { RunRecord } from '../run-record.js';
import type { RunEnd } from './run-log.js';

/** What others are notified of. */
export interface RunCause {
  readonly run: RunRecord;
  /**
   * The numbers of the events that may be announced: of the beginning, of each message that is complete, of questions and
   * of the end. `'closed'`: what the run waits for was given up.
   */
  readonly events: readonly number[] | 'closed';
  readonly at: number;
}

/** A run began or ended: its first events, or its last one, are about to be committed. */
export interface RunChange {
  readonly run: RunRecord;
  /** Undefined: the run has begun. */
  readonly end: RunOutcome | undefined;
  /** Canonical JSON of the terminal event; undefined if the run has begun. */
  readonly response: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** How a run ended. */
export type RunOutcome = Pick<RunEnd, 'state' | 'error' | 'usage' | 'asked'>;

/** Writes what follows from a cause, in the transaction that commits it. */
export type CauseWriter = (tx: Transaction, cause: RunCause) => Promise<void>;

/** Writes what follows from beginnings and ends of runs, in the transaction that commits them. */
export interface ChangeWriter {
  /** True if anybody follows the runs of a tenant. Without a tenant: any runs. Called for each commit. */
  wants(tenantId?: string): boolean;
  write(tx: Transaction, change: RunChange): Promise<void>;
  /** Refuses a request for a run that names something unknown. @throws AppError INVALID_PARAMETER */
  check(tenantId: string, webhook: string): Promise<void>;
}

/** The writers of what follows from runs. Without one, nothing is looked at. */
@Injectable()
export class RunCauses {
  private readonly writers: CauseWriter[] = [];
  private readonly changeWriters: ChangeWriter[] = [];

  register(writer: CauseWriter): void {
    this.writers.push(writer);
  }

  /** Registers a writer for beginnings and ends only. */
  registerChanges(writer: ChangeWriter): void {
    this.changeWriters.push(writer);
  }

  /** True if anybody follows. */
  get areWanted(): boolean {
    return this.writers.length > 0 || this.changeWriters.some((writer) => writer.wants());
  }

  /** Checks the endpoint that a request names for the end of its run. @throws AppError INVALID_PARAMETER */
  async check(tenantId: string, webhook: string): Promise<void> {
    for (const writer of this.changeWriters) await writer.check(tenantId, webhook);
  }

  /**
   * Events are about to be committed.
   *
   * @param firstSeq the number of the first line
   * @param end how the run ends with them; undefined if it does not, or `run` says so
   */
  async written(
    tx: Transaction,
    run: RunRecord,
    firstSeq: number,
    {
      lines,
      at,
      end,
    }: { readonly lines: readonly string[]; readonly at: number; readonly end?: RunOutcome | undefined },
  ): Promise<void> {
    if (lines.length === 0) return;
    if (this.writers.length > 0) {
      const events = lines.flatMap((line, index) =>
        isToldAbout(new LoggedEvent(firstSeq + index, line)) ? [firstSeq + index] : [],
      );
      if (events.length > 0) await this.tell(tx, { run, events, at });
    }
    if (this.changeWriters.some((writer) => writer.wants(run.tenantId)))
      await this.tellChanges(tx, run, firstSeq, { lines, at, end });
  }

  /** What a run waits for is about to be given up. */
  async closed(tx: Transaction, run: RunRecord, at: number): Promise<void> {
    if (this.writers.length > 0) await this.tell(tx, { run, events: 'closed', at });
  }

  private async tell(tx: Transaction, cause: RunCause): Promise<void> {
    for (const write of this.writers) await write(tx, cause);
  }

  private async tellChanges(
    tx: Transaction,
    run: RunRecord,
    firstSeq: number,
    {
      lines,
      at,
      end,
    }: { readonly lines: readonly string[]; readonly at: number; readonly end?: RunOutcome | undefined },
  ): Promise<void> {
    const changes: RunChange[] = [];
    // A run that was never started ends with its first events.
    const hasBegun = firstSeq === 0 && run.finishedAt === null;
    if (hasBegun) changes.push({ run, end: undefined, response: undefined, at });
    const outcome = end ?? (run.finishedAt === null ? undefined : outcomeOf(run));
    if (outcome) changes.push({ run, end: outcome, response: lines.at(-1), at });
    for (const change of changes) for (const writer of this.changeWriters) await writer.write(tx, change);
  }
}

/** Whether an event may be announced: a beginning, a message that is complete, a question, an end. */
export function isToldAbout(event: LoggedEvent): boolean {
  if (event.kind === 'interrupt' || event.isTerminal) return true;
  if (event.kind === 'response') return event.status === 'in_progress';
  return event.closedMessageId !== undefined && event.json.includes('"type":"message"');
}

function outcomeOf({ state, error, usage }: RunRecord): RunOutcome | undefined {
  return state === 'queued' || state === 'running' ? undefined : { state, error, usage };
}
