import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/index.js';
import { RunCancel } from './run-cancel.js';
import { RunRemoval } from './run-removal.js';
import type { CancelOptions } from '../ports/runs.js';

/** All that brings runs to an end from outside: cancel and removal. */
@Injectable()
export class RunEnds {
  constructor(
    private readonly cancels: RunCancel,
    private readonly removal: RunRemoval,
  ) {}

  /** @throws as `RunCancel.cancel` */
  cancel(principal: Principal, runId: string, options: CancelOptions): Promise<void> {
    return this.cancels.cancel(principal, runId, options);
  }

  cancelSession(principal: Principal, sessionId: string): Promise<readonly string[]> {
    return this.cancels.cancelSession(principal, sessionId);
  }

  /** @throws as `RunRemoval.removeRun` */
  removeRun(principal: Principal, runId: string): Promise<void> {
    return this.removal.removeRun(principal, runId);
  }

  /** @throws as `RunRemoval.removeSession` */
  removeSession(principal: Principal, sessionId: string): Promise<void> {
    return this.removal.removeSession(principal, sessionId);
  }
}
