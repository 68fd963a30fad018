import { Injectable } from '@nestjs/common';
import type { Observable } from 'rxjs';
import { AppError, type BackpressureGate } from '../../common/index.js';
import { Runs } from '../../run/index.js';
import {
  EncoderRegistry,
  encodeTail,
  SkipFrames,
  requestPrincipal,
  controlFramesFrom,
  type ControlFrames,
  tailObservable,
  verifiedTail,
} from '../http/index.js';
import { AttachPlaces, cursorAhead, framesOnly } from './attach-places.js';
import type { EventPlace } from './event-place.js';
import { sessionTail } from './session-tail.js';

/** Which run to read, and how. */
export interface Attachment {
  readonly tenantId: string;
  /** The user that the request names: then a run of another one is unknown. */
  readonly userId: string | undefined;
  readonly runId: string;
  /** The name of the wire whose frames are wanted. */
  readonly protocol: string;
  /** How many of them the reader has. */
  readonly after: number;
  /** Where a reader is that comes again by itself; counts before `after`. */
  readonly place: EventPlace | undefined;
  /** `session`: the later runs of the session, too, in the same stream. */
  readonly follow: 'run' | 'session';
}

/** The frames, and how their stream closes when the server cuts it. */
export interface AttachedStream {
  readonly frames: Observable<readonly string[]>;
  readonly controlFrames: ControlFrames;
}

/** Reads any run, live or finished, in any wire's frames. */
@Injectable()
export class AttachReader {
  constructor(
    private readonly runs: Runs,
    private readonly encoders: EncoderRegistry,
    private readonly places: AttachPlaces,
  ) {}

  /**
   * The frames after the first `after` ones; undefined when a reader that came again by itself has all
   * there will ever be.
   *
   * @throws AppError INVALID_PARAMETER (unknown wire, wrong place), RUN_NOT_FOUND, CURSOR_AHEAD; through the
   *   Observable and before its first frame CURSOR_AHEAD, when there are fewer frames so far, and
   *   EVENTS_EXPIRED, whatever the cursor: frames are made from the whole log
   */
  async attach(attachment: Attachment, gate: BackpressureGate): Promise<AttachedStream | undefined> {
    const { tenantId, userId, runId, protocol, follow, place } = attachment;
    const factory = this.encoders.get(protocol);
    const named = await this.runs.view(requestPrincipal(undefined), runId);
    if (userId !== undefined && named.userId !== userId) throw new AppError('RUN_NOT_FOUND');
    const run = place ? await this.places.runOf(named, place, follow) : named;
    const after = place?.after ?? attachment.after;
    if (place && (await this.places.isRead(run, factory, after, follow))) return undefined;
    const cursor = new SkipFrames(factory(run), after);
    const verify = (): void => {
      if (cursor.count < after) throw cursorAhead(after, cursor.count);
    };
    const { runs } = this;
    const principal = { tenantId, userId: run.userId };
    const open = (signal: AbortSignal): AsyncIterable<readonly string[]> =>
      follow === 'run'
        ? encodeTail(verifiedTail(runs.tail(principal, run.runId, { gate, signal }), run.lastSeq, verify), cursor)
        : sessionTail({ runs, tenantId, run, factory, cursor, gate, signal }, verify);
    const frames = tailObservable({ open: (signal) => framesOnly(open(signal)), gate });
    return { frames, controlFrames: controlFramesFrom(cursor) };
  }
}
