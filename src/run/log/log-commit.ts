import { Injectable } from '@nestjs/common';
import type { PatientOptions, Transaction } from '../../database/index.js';
import type { MessageOwner, MessageStates } from '../../agent/session/index.js';
import { UsageLedger } from '../../usage/index.js';
import type { LogWrite, RunEnd, WrittenRun } from '../ports/run-log.js';
import { RunLedger } from '../run-ledger.js';
import { RunMetrics } from '../run.metrics.js';
import { interruptRun, type RunRecord } from '../run-record.js';

/** Commits what runs write: events, journal, messages of the session, audit log, and the end of a run. */
@Injectable()
export class LogCommit {
  constructor(
    private readonly ledger: RunLedger,
    private readonly metrics: RunMetrics,
    private readonly usage: UsageLedger,
  ) {}

  /**
   * Commits the writes in one transaction.
   *
   * @param options as those of `UnitOfWork.writePatiently`
   * @returns for each whether it was written: false, and nothing of it is written, when this process no longer
   *   has the run
   * @throws the driver's error; whether the writes were committed is then unknown (`RunLog.committed`)
   */
  async append(writes: readonly LogWrite[], options?: PatientOptions): Promise<readonly boolean[]> {
    const startedAt = performance.now();
    const written = await this.commit(writes, options);
    this.metrics.committed(writes, written, performance.now() - startedAt);
    return written;
  }

  private commit(writes: readonly LogWrite[], options?: PatientOptions): Promise<readonly boolean[]> {
    return this.ledger.writePatiently(async (tx) => {
      const plain = writes.filter(isPlain);
      const plainResults = plain.length > 0 ? this.ledger.log.appendEvents(tx, plain) : NOTHING;
      let nextPlain = 0;
      // Together, so that on PostgreSQL the writes share their round trips.
      const results = await settled(
        writes.map(async (write) => {
          if (!isPlain(write)) return this.appendOne(tx, write);
          const index = nextPlain++;
          return (await plainResults)[index] === true;
        }),
      );
      await this.settle(tx, writes, results);
      if (this.ledger.causes.areWanted) await this.tell(tx, writes, results);
      return results;
    }, options);
  }

  /** Books the model calls of what was written, all together: the counters of budgets are locked last, and in one order. */
  private async settle(tx: Transaction, writes: readonly LogWrite[], results: readonly boolean[]): Promise<void> {
    if (!writes.some(({ spent }) => spent)) return;
    const calls = writes.flatMap(({ spent = [] }, index) => (results[index] === true ? spent : []));
    if (calls.length > 0) await this.usage.settle(tx, calls, Math.max(...writes.map(({ at }) => at)));
  }

  /** Notifies listeners of what is being committed. */
  private async tell(tx: Transaction, writes: readonly LogWrite[], results: readonly boolean[]): Promise<void> {
    for (const [index, { run, firstSeq, lines, at, end }] of writes.entries()) {
      if (results[index] === true) await this.ledger.causes.written(tx, run, firstSeq, { lines, at, end });
    }
  }

  private async appendOne(tx: Transaction, write: LogWrite): Promise<boolean> {
    const written = await this.ledger.log.append(tx, write);
    if (!written) return false;
    const { run, notes, messages, states, end, at } = write;
    if (notes) await this.ledger.interrupts.audit(tx, interruptRun(run), notes, at);
    if (written.visibility === 'kept' && (messages || end)) await this.appendMessages(tx, write);
    else if (states && written.visibility === 'transient') await this.appendStates(tx, write, states);
    if (end) await this.saveEnd(tx, write, end, written);
    return true;
  }

  /** Adds messages to the session of a run that counts; its end adds the last of them. */
  private async appendMessages(tx: Transaction, write: LogWrite): Promise<void> {
    const { run, lines, messages = [], states, end, at } = write;
    const { sessions } = this.ledger;
    // A write without events may be repeated.
    const ids = messages.map(({ id }) => id);
    const known = lines.length === 0 ? await sessions.messagesById(tx, run.sessionRowId, ids) : undefined;
    const fresh = known ? messages.filter(({ id }) => !known.has(id)) : messages;
    await sessions.append(tx, ownerOf(run), [...fresh, ...(end?.output ?? [])], at, { origin: 'output', states });
  }

  /**
   * Of a transient run, which adds no messages, nothing but the states is stored, until the run is removed: clients that
   * keep such a conversation themselves send its messages back without them.
   */
  private async appendStates(tx: Transaction, write: LogWrite, states: MessageStates): Promise<void> {
    const { run, messages = [], end, at } = write;
    const bare = [...messages, ...(end?.output ?? [])]
      .filter(({ id }) => states.has(id))
      .map((message) => Object.assign({}, message, { content: null }));
    await this.ledger.sessions.append(tx, ownerOf(run), bare, at, { origin: 'state', hidden: true, states });
  }

  /** What the end of a run changes in its session besides messages. A rolled back run changes no state. */
  private async saveEnd(tx: Transaction, write: LogWrite, end: RunEnd, written: WrittenRun): Promise<void> {
    if (end.asked) await this.openInterrupts(tx, write, end.asked, written.cancelRequested);
    if (end.sessionState && written.visibility !== 'rolled_back') {
      await this.ledger.sessions.saveState(tx, write.run, end.sessionState, write.at);
    }
  }

  /**
   * Opens the interrupts that a run ends with, unless they are already obsolete: a cancel that came too late
   * to stop the run cancels them, and so does a queued run that was accepted before they were known.
   */
  private async openInterrupts(
    tx: Transaction,
    { run, at }: LogWrite,
    asked: NonNullable<RunEnd['asked']>,
    cancelRequested: boolean,
  ): Promise<void> {
    const { sessions, interrupts, runs } = this.ledger;
    // Every run that is accepted from now on sees the interrupts.
    await sessions.lock(tx, run.sessionRowId);
    await interrupts.open(tx, interruptRun(run), asked, at);
    if (cancelRequested) await interrupts.cancelForRun(tx, run.rowId, at);
    const next = await runs.nextQueued(tx, run.sessionRowId, run.ordinal);
    if (next && !next.request.resumes) await interrupts.cancelUnanswered(tx, interruptRun(next), at);
  }
}

function ownerOf({ tenantId, sessionRowId, rowId, ordinal }: RunRecord): MessageOwner {
  return { tenantId, sessionRowId, runRowId: rowId, runOrdinal: ordinal };
}

const NOTHING: Promise<readonly boolean[]> = Promise.resolve([]);

/** Waits for all, also after one has failed: none may use the transaction when it is over. @throws the first error */
async function settled<Value>(promises: readonly Promise<Value>[]): Promise<readonly Value[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}

/** True for a write of nothing but events: most of them. */
function isPlain(write: LogWrite): boolean {
  return write.end === undefined && write.steps.length === 0 && !write.messages && !write.notes && !write.spent;
}
