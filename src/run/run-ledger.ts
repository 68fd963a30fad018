import { Injectable } from '@nestjs/common';
import { type PatientOptions, type Transaction, UnitOfWork } from '../database/index.js';
import { InterruptStore } from '../agent/interrupt/index.js';
import { SessionStore } from '../agent/session/index.js';
import { RunCauses } from './ports/run-causes.js';
import { RunLog } from './ports/run-log.js';
import { RunStore } from './ports/run-store.js';

/** The stores of what a run is made of: its row, its log, its session, its interrupts, and who wants to hear of it. */
@Injectable()
export class RunStores {
  constructor(
    readonly runs: RunStore,
    readonly log: RunLog,
    readonly sessions: SessionStore,
    readonly interrupts: InterruptStore,
    readonly causes: RunCauses,
  ) {}
}

/** What a run is made of, and the transactions that change it. */
@Injectable()
export class RunLedger implements RunStores {
  readonly runs: RunStore;
  readonly log: RunLog;
  readonly sessions: SessionStore;
  readonly interrupts: InterruptStore;
  readonly causes: RunCauses;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    stores: RunStores,
  ) {
    this.runs = stores.runs;
    this.log = stores.log;
    this.sessions = stores.sessions;
    this.interrupts = stores.interrupts;
    this.causes = stores.causes;
  }

  /** One atomic write, see `UnitOfWork.write`. */
  write<T>(work: (tx: Transaction) => Promise<T>, committed?: (value: T) => void, lockKey?: string): Promise<T> {
    return this.unitOfWork.write(work, committed, lockKey);
  }

  /** As `UnitOfWork.writePatiently`. */
  writePatiently<T>(work: (tx: Transaction) => Promise<T>, options?: PatientOptions): Promise<T> {
    return this.unitOfWork.writePatiently(work, options);
  }
}
