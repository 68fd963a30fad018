import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { AppError, type Demand, type Principal } from '../../common/index.js';
import { Runs } from '../../run/index.js';
import { EncoderRegistry, encodeTail, FrameCursor, tailObservable, verifiedTail } from '../http/index.js';
import { sessionTail } from './session-tail.js';

/** Which run to read, and how. */
export interface Attachment {
  readonly principal: Principal;
  readonly runId: string;
  /** The name of the wire whose frames are wanted. */
  readonly protocol: string;
  /** How many of them the reader has. */
  readonly after: number;
  /** `session`: the later runs of the session, too, in the same stream. */
  readonly follow: 'run' | 'session';
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
   * @throws AppError INVALID_PARAMETER (unknown wire), RUN_NOT_FOUND; through the Observable and before its
   *   first frame CURSOR_AHEAD, when there are fewer frames so far, and EVENTS_EXPIRED, whatever the
   *   cursor: frames are made from the whole log
   */
  async attach(attachment: Attachment, demand: Demand): Promise<Observable<readonly string[]>> {
    const { principal, runId, protocol, after, follow } = attachment;
    const factory = this.encoders.get(protocol);
    const run = await this.runs.view(principal, runId);
    const cursor = new FrameCursor(factory(run), after);
    const verify = (): void => {
      if (cursor.count < after) throw cursorAhead(after, cursor.count);
    };
    if (follow === 'run') {
      const tail = (signal: AbortSignal) => this.runs.tail(principal, runId, { demand, signal });
      return tailObservable({
        open: (signal) => framesOnly(encodeTail(verifiedTail(tail(signal), run.lastSeq, verify), cursor)),
        demand,
      });
    }
    const { runs } = this;
    const { tenantId } = principal;
    return tailObservable({
      open: (signal) => framesOnly(sessionTail({ runs, tenantId, run, factory, cursor, demand, signal }, verify)),
      demand,
    });
  }
}

/** The numbers of events that are left would be taken for numbers of frames: the refusal goes without them. */
async function* framesOnly(batches: AsyncIterable<readonly string[]>): AsyncGenerator<readonly string[], void, void> {
  try {
    yield* batches;
  } catch (error) {
    throw error instanceof AppError && error.code === 'EVENTS_EXPIRED' ? new AppError('EVENTS_EXPIRED') : error;
  }
}

function cursorAhead(after: number, count: number): AppError {
  const message = `after is ${after}, but this run has ${count} frames so far`;
  return new AppError('CURSOR_AHEAD', message, { details: [{ path: 'after', message }] });
}
