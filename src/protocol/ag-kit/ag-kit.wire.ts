import { Injectable } from '@nestjs/common';
import type { RunView } from '../../run/index.js';
import { type AgUiEvent, AgUiRuns } from '../ag-ui-events/index.js';
import { dataFrame, type HttpError } from '../http/index.js';
import { type FailedRequest, type FrameEncoder, Wire } from '../wire/index.js';
import { agKitErrorBody } from './ag-kit.errors.js';
import { AgKitEncoder } from './ag-kit.encoder.js';
import { AgKitSettings } from './ag-kit.settings.js';
import { WATCHED_AS } from './ag-kit.types.js';
import { BotEncoder } from './bot.encoder.js';

/** AG-Kit, in its original dialect; the other two are wires of the same paths. */
@Injectable()
export class AgKitWire extends Wire {
  readonly name: string = WATCHED_AS['ag-kit'];
  override readonly paths: readonly string[] = ['/send-message', '/v1/aibot/'];
  override readonly onDisconnect = 'cancel';

  constructor(protected readonly settings: AgKitSettings) {
    super();
  }

  override encoder(_run: RunView): FrameEncoder {
    return new AgKitEncoder({ errorText: this.settings.errorText });
  }

  override errorBody(error: HttpError, { requestId }: FailedRequest): object {
    return agKitErrorBody(error, requestId);
  }
}

/** AG-UI events on AG-Kit's paths. */
@Injectable()
export class AgKitAgUiWire extends AgKitWire {
  override readonly name = WATCHED_AS['ag-ui'];
  override readonly paths = [];

  constructor(
    settings: AgKitSettings,
    private readonly runs: AgUiRuns,
  ) {
    super(settings);
  }

  override encoder(run: RunView): FrameEncoder {
    return this.runs.encoder(run, { framesOf: agUiFrames });
  }
}

/** The bot dialect. */
@Injectable()
export class AgKitBotWire extends AgKitWire {
  override readonly name = WATCHED_AS.bot;
  override readonly paths = [];

  override encoder(): FrameEncoder {
    return new BotEncoder();
  }
}

/**
 * An AG-UI event as this path writes it: `data:` lines only, and no `[DONE]` after the last. An
 * interrupt is also sent in the vendor's older form, in a frame of its own: CUSTOM `on_interrupt`, its value JSON text.
 */
export function agUiFrames(event: AgUiEvent): readonly string[] {
  const frame = dataFrame(JSON.stringify(event));
  if (event.type !== 'RUN_FINISHED' || event.outcome?.type !== 'interrupt') return [frame];
  const [interrupt] = event.outcome.interrupts;
  const custom = { type: 'CUSTOM', name: 'on_interrupt', value: JSON.stringify(interrupt) };
  return [dataFrame(JSON.stringify(custom)), frame];
}
