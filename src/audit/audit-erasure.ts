import { Injectable } from '@nestjs/common';
import type { Principal } from '../common/index.js';
import type { Transaction } from '../database/index.js';
import { OldEntryMover } from './audit-upkeep.js';
import { AuditLog } from './ports/audit-log.js';
import { SampledActs } from './sampled-acts.js';

/** Takes a user out of the audit trail: the lines stay, and tell nobody who it was (contract access, section 9). */
@Injectable()
export class AuditErasure {
  constructor(
    private readonly log: AuditLog,
    private readonly mover: OldEntryMover,
    private readonly sampled: SampledActs,
  ) {}

  /** Writes what is not in the trail yet, so that `eraseUser` finds it: acts that this process counts, and entries of earlier versions. */
  async prepare(signal: AbortSignal): Promise<void> {
    await this.sampled.flush();
    await this.mover.work(signal);
  }

  /** Removes the contents of a user, and the names of its pseudonyms. Returns how many of each. */
  eraseUser(tx: Transaction, user: Principal): Promise<{ readonly contents: number; readonly pseudonyms: number }> {
    return this.log.eraseUser(tx, user);
  }
}
