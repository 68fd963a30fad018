import { Injectable } from '@nestjs/common';
import type { RunView } from '../../run/index.js';
import { type AgUiRequest, AgUiRuns, AgUiSettings, keyCaseOf } from '../ag-ui-events/index.js';
import { type FrameEncoder, Wire, type WireRequest } from '../wire/index.js';
import { AgUiQueryDto } from './dto/ag-ui-query.dto.js';

/** AG-UI. Its errors before a stream are the common ones. */
@Injectable()
export class AgUiWire extends Wire {
  readonly name = 'ag-ui';
  override readonly onDisconnect: 'continue' | 'cancel';

  constructor(
    private readonly runs: AgUiRuns,
    private readonly settings: AgUiSettings,
  ) {
    super();
    this.onDisconnect = settings.onDisconnect;
  }

  /** A request of either route. @throws AppError as `WireRequest.query` and `AgUiRuns.decode` */
  decode(request: WireRequest): Promise<AgUiRequest> {
    const query = request.query(AgUiQueryDto);
    const { body, caller, params } = request;
    const onBusy = query.multitask ?? this.settings.busyPolicy;
    const { agentId } = params;
    return this.runs.decode(body, { wire: this.name, caller, agentId, user: caller.headerUser(), onBusy });
  }

  override encoder(run: RunView): FrameEncoder {
    const { protocolVersion } = run.wireData;
    // No client of another wire requested copies of the keys, and both generations read camelCase.
    const announced = run.wire !== this.name || typeof protocolVersion === 'string' ? '1.0' : undefined;
    return this.runs.encoder(run, { keyCase: keyCaseOf(this.settings.keyCase, announced) });
  }
}
