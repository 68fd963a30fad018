import { Injectable } from '@nestjs/common';
import { type PatientOptions, type Transaction, UnitOfWork } from '../database/index.js';
import { InterruptStore } from '../interrupt/index.js';
import { SessionStore } from '../session/index.js';
import { RunLog } from './ports/run-log.js';
import { RunStore } from './ports/run-store.js';

/** What a run is made of, and the transactions that change it: its row, its log, its session and its interrupts. */
@Injectable()
export class RunLedger {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    readonly runs: RunStore,
    readonly log: RunLog,
    readonly sessions: SessionStore,
    readonly interrupts: InterruptStore,
  ) {}

  /** One atomic write, see `UnitOfWork.write`. */
  write<T>(work: (tx: Transaction) => Promise<T>, committed?: (value: T) => void, lockKey?: string): Promise<T> {
    return this.unitOfWork.write(work, committed, lockKey);
  }

  /** As `UnitOfWork.writePatiently`. */
  writePatiently<T>(work: (tx: Transaction) => Promise<T>, options?: PatientOptions): Promise<T> {
    return this.unitOfWork.writePatiently(work, options);
  }
}
