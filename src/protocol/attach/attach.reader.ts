import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { AppError, type Demand, type Principal } from '../../common/index.js';
import { Runs } from '../../run/index.js';
import { EncoderRegistry, encodeTail, FrameCursor, tailObservable, verifiedTail } from '../http/index.js';

/** Which run to read, and how. */
export interface Attachment {
  readonly principal: Principal;
  readonly runId: string;
  /** The name of the wire whose frames are wanted. */
  readonly protocol: string;
  /** How many of them the reader has. */
  readonly after: number;
}

/** Reads any run, live or finished, in any wire's frames. */
@Injectable()
export class AttachReader {
  constructor(
    private readonly runs: Runs,
    private readonly encoders: EncoderRegistry,
  ) {}

  /**
   * The frames after the first `after` ones.
   *
   * @throws AppError INVALID_PARAMETER (unknown wire), RUN_NOT_FOUND; CURSOR_AHEAD, through the
   *   Observable and before its first frame, when the run has fewer frames so far
   */
  async attach(attachment: Attachment, demand: Demand): Promise<Observable<readonly string[]>> {
    const { principal, runId, protocol, after } = attachment;
    const factory = this.encoders.get(protocol);
    const run = await this.runs.view(principal, runId);
    const encoder = new FrameCursor(factory(run), after);
    const verify = (): void => {
      if (encoder.count < after) throw cursorAhead(after, encoder.count);
    };
    return tailObservable({
      open: (signal) =>
        encodeTail(verifiedTail(this.runs.tail(principal, runId, { demand, signal }), run.lastSeq, verify), encoder),
      demand,
    });
  }
}

function cursorAhead(after: number, count: number): AppError {
  const message = `after is ${after}, but this run has ${count} frames so far`;
  return new AppError('CURSOR_AHEAD', message, { details: [{ path: 'after', message }] });
}
