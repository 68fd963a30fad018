import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/index.js';
import type { RunView } from '../../run/index.js';
import { type AgUiEvent, AgUiRuns } from '../ag-ui-events/index.js';
import { dataFrame, type HttpError } from '../http/index.js';
import { type FailedRequest, type FrameEncoder, Wire } from '../wire/index.js';
import { copilotKitErrorBody } from './copilotkit.errors.js';

/** CopilotKit's runtime: AG-UI events without ids. They are watched as AG-UI. */
@Injectable()
export class CopilotKitWire extends Wire {
  readonly name = 'copilotkit';
  override readonly isWatchable = false;
  override readonly paths = ['/copilotkit'];

  constructor(private readonly runs: AgUiRuns) {
    super();
  }

  override encoder(run: RunView, principal: Principal): FrameEncoder {
    return this.runs.encoderOf(principal, run, { frameOf: (event: AgUiEvent) => dataFrame(JSON.stringify(event)) });
  }

  override errorBody(error: HttpError, { requestId }: FailedRequest): object {
    return copilotKitErrorBody(error, requestId);
  }
}
