import { Injectable } from '@nestjs/common';
import { type Caller } from '../../access/index.js';
import type { JsonObject, Principal } from '../../common/index.js';
import type { RunView } from '../../run/index.js';
import {
  type AgUiGeneration,
  type AgUiRequest,
  AgUiRuns,
  AgUiSettings,
  SHUTDOWN_EVENT,
  type StartedRun,
} from '../ag-ui-events/index.js';
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

  /** @throws AppError as `AgUiRuns.decode` */
  decode(body: unknown, agentId: string | undefined, caller: Caller): Promise<AgUiRequest> {
    const { busyPolicy: onBusy } = this.settings;
    return this.runs.decode(body, { wire: this.name, caller, agentId, user: caller.headerUser(), onBusy });
  }

  /** @throws AppError as `AgUiRuns.start` */
  start(request: AgUiRequest): Promise<StartedRun> {
    return this.runs.start(request);
  }

  /** The user that a request on a thread acts for. @throws AppError as `AgUiRuns.ownerOf` */
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
