import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/index.js';
import type { RunView } from '../../run/index.js';
import { type AgUiGeneration, AgUiRuns, AgUiSettings, SHUTDOWN_EVENT, type StartedRun } from '../ag-ui-events/index.js';
import type { Caller, HttpError } from '../http/index.js';
import { type FailedRequest, type FrameEncoder, Wire } from '../wire/index.js';
import { copilotKitFrame } from './copilotkit.encoder.js';
import { copilotKitErrorBody } from './copilotkit.errors.js';

/** CopilotKit's runtime: AG-UI events without ids. They are watched as AG-UI. */
@Injectable()
export class CopilotKitWire extends Wire {
  readonly name = 'copilotkit';
  override readonly isWatchable = false;
  override readonly paths = ['/copilotkit'];
  override readonly shutdownFrame = copilotKitFrame(SHUTDOWN_EVENT);

  constructor(
    private readonly runs: AgUiRuns,
    private readonly settings: AgUiSettings,
  ) {
    super();
  }

  /** @throws AppError as `AgUiRuns.start` */
  start(body: unknown, agentId: string, caller: Caller): Promise<StartedRun> {
    const { busyPolicy: onBusy } = this.settings;
    return this.runs.start(body, { wire: this.name, caller, agentId, userId: caller.userIdHeader(), onBusy });
  }

  override encoder(run: RunView, principal: Principal, generation?: AgUiGeneration): FrameEncoder {
    return this.runs.encoder(principal, run, { frameOf: copilotKitFrame, ...(generation && { generation }) });
  }

  override errorBody(error: HttpError, { requestId }: FailedRequest): object {
    return copilotKitErrorBody(error, requestId);
  }
}
