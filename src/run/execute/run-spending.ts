import { Injectable } from '@nestjs/common';
import { estimateMessageTokens } from '../../agent/index.js';
import type { Message } from '../../events/index.js';
import { type RunMeter, type SettledCall, Spending } from '../../usage/index.js';
import type { RunRecord } from '../run-record.js';
import type { RunControl } from './run-control.js';
import { whileUnavailable } from './while-unavailable.js';

/** What the model calls of runs use (contract access, section 7.2). */
@Injectable()
export class RunSpending {
  constructor(private readonly spending: Spending) {}

  /**
   * Closes what earlier executions have reserved, with the output that their unfinished steps have written.
   *
   * @param lost the messages of these steps
   * @returns the estimated tokens of output that nothing was reserved for
   */
  async closeEarlier(run: RunRecord, lost: readonly Message[]): Promise<number> {
    if (run.fence <= 1) return 0;
    const output = lost.reduce((sum, message) => sum + estimateMessageTokens(message), 0);
    return this.spending.closeEarlier(run, output);
  }

  /** The meter of an execution. @param options.book commits the end of a call with what the run writes */
  meter(
    run: RunRecord,
    control: RunControl,
    { book, lostOutput }: { readonly book: (call: SettledCall) => void; readonly lostOutput: number },
  ): RunMeter {
    const { agentType: agent, authority, request } = run;
    const account = authority?.actor.account ?? '';
    const rootRunRowId = request.resumes?.rootRunRowId ?? run.rowId;
    return this.spending.meter(
      { ...spendingRun(run), agent, account, rootRunRowId },
      { book, patiently: (work) => whileUnavailable(work, control), lostOutput },
    );
  }
}

function spendingRun({
  rowId,
  fence,
  id,
  tenantId,
  userId,
}: RunRecord): Pick<RunRecord, 'rowId' | 'fence' | 'id' | 'tenantId' | 'userId'> {
  return { rowId, fence, id, tenantId, userId };
}
