import { Injectable } from '@nestjs/common';
import type { RunView } from '../../run/index.js';
import { commentFrame, type HttpError } from '../http/index.js';
import { type FailedRequest, Wire } from '../wire/index.js';
import { RunEncodingService } from './events/run-encoding.service.js';
import { RUNS_WIRE } from './run-submission.js';
import { RunsApiSettings } from './runs-api.settings.js';
import { type RunsEncoder, SHUTDOWN_FRAME } from './runs.encoder.js';
import { runsErrorBody } from './runs.errors.js';

/** Where a RunAgentInput is sent: errors of its body have messages of their own. */
const INPUT_PATH = '/api/v1/agent/runs';

/** The durable Runs API. */
@Injectable()
export class RunsWire extends Wire {
  /** The name under which the ledger keeps this wire's runs. */
  readonly name = RUNS_WIRE;
  /** Requests under these paths get this wire's error bodies; the longest prefix wins. */
  override readonly paths = ['/api/v1/agent/', INPUT_PATH];
  /** The keep-alive of the contract: the comment `hb`. */
  override readonly keepAliveFrame = commentFrame('hb');
  /** Its clients reconnect by themselves, and soon. */
  override readonly shutdownFrame = SHUTDOWN_FRAME;

  constructor(
    readonly encoders: RunEncodingService,
    private readonly settings: RunsApiSettings,
  ) {
    super();
  }

  /** Milliseconds after which a stream ends between two events. */
  get lifetimeMs(): number {
    return this.settings.streamMs;
  }

  /** A run's whole stream from its first event. */
  override encoder(run: RunView): RunsEncoder {
    return this.encoders.attached(run);
  }

  /** Errors of a run's input have the sentences of the contract; other errors only share the shape. */
  override errorBody(error: HttpError, { requestId, path }: FailedRequest): object {
    const isInput = path.startsWith(INPUT_PATH) && !path.startsWith(`${INPUT_PATH}/`);
    return runsErrorBody(error, { requestId, isInput, detailAlias: this.settings.detailAlias });
  }
}
