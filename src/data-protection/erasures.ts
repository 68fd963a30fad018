import { createHmac, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { AuditSettings, AuditTrail } from '../audit/index.js';
import { AppError, Clock, type Origin, type Principal } from '../common/index.js';
import { UnitOfWork } from '../database/index.js';
import type { EraseReceipt } from './erase-job.js';
import { EraseJobs } from './ports/erase-jobs.js';

/** Erasures of users (contract access, section 9): they are asked for here; servers carry them out. */
@Injectable()
export class Erasures {
  constructor(
    private readonly jobs: EraseJobs,
    private readonly unitOfWork: UnitOfWork,
    private readonly trail: AuditTrail,
    private readonly settings: AuditSettings,
    private readonly clock: Clock,
  ) {}

  /**
   * Asks for the erasure of a user's data, of which nothing needs to exist. From now on the user can store nothing until it
   * is done. Asked again meanwhile, it is the same erasure.
   *
   * @returns the id of the erasure
   */
  async request(user: Principal, by: Origin): Promise<string> {
    const job = {
      id: randomUUID(),
      user,
      subject: this.subjects(user)[0] ?? '',
      requestedAt: this.clock.now(),
    };
    return this.unitOfWork.write(async (tx) => {
      const { jobId, isNew } = await this.jobs.add(tx, job);
      const subject = { kind: 'erasure', id: jobId } as const;
      const details = { stage: 'requested' };
      if (isNew) await this.trail.write(tx, { tenantId: user.tenantId, action: 'data.erased', by, subject, details });
      return jobId;
    });
  }

  /** The newest erasure of a user. @throws AppError RESOURCE_NOT_FOUND */
  async receipt(user: Principal): Promise<EraseReceipt> {
    const receipt = await this.jobs.find(user.tenantId, this.subjects(user));
    if (!receipt) throw new AppError('RESOURCE_NOT_FOUND', 'The data of no such user was ever erased');
    return receipt;
  }

  /** The id of the newest erasure of a user; undefined without one. */
  async newest(user: Principal): Promise<string | undefined> {
    return (await this.jobs.find(user.tenantId, this.subjects(user)))?.jobId;
  }

  /** What a receipt is found by: nobody can tell the user from it without the keys of the audit trail. */
  private subjects({ userId }: Principal): readonly string[] {
    return this.settings
      .ring()
      .map(({ secret }) => createHmac('sha256', secret).update(`parley erased user\n${userId}`).digest('hex'));
  }
}
