import { Injectable } from '@nestjs/common';
import type { RunView } from '../../run/index.js';
import { AgUiRuns, AgUiSettings, keyCaseOf } from '../ag-ui-events/index.js';
import { type FrameEncoder, Wire } from '../wire/index.js';

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

  override encoder(run: RunView): FrameEncoder {
    const { protocolVersion } = run.wireData;
    // No client of another wire requested copies of the keys, and both generations read camelCase.
    const announced = run.wire !== this.name || typeof protocolVersion === 'string' ? '1.0' : undefined;
    return this.runs.encoder(run, { keyCase: keyCaseOf(this.settings.keyCase, announced) });
  }
}
