import { type Caller } from '../../access/index.js';
import { Injectable } from '@nestjs/common';
import type { JsonObject, Principal } from '../../common/index.js';
import type { RunView } from '../../run/index.js';
import { type AgUiGeneration, AgUiRuns, AgUiSettings, SHUTDOWN_EVENT, type StartedRun } from '../ag-ui-events/index.js';
import type { HttpError } from '../http/index.js';
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
    return this.runs.start(body, { wire: this.name, caller, agentId, user: caller.headerUser(), onBusy });
  }

  /** In whose name a request uses a thread. @throws AppError as `AgUiRuns.ownerOf` */
  ownerOf(caller: Caller, threadId: string, forwardedProps: JsonObject = {}): Promise<Principal> {
    return this.runs.ownerOf({ threadId, forwardedProps }, caller, caller.headerUser());
  }

  override encoder(run: RunView, generation?: AgUiGeneration): FrameEncoder {
    return this.runs.encoder(run, { frameOf: copilotKitFrame, ...(generation && { generation }) });
  }

  override errorBody(error: HttpError, { requestId }: FailedRequest): object {
    return copilotKitErrorBody(error, requestId);
  }
}
