import { Injectable } from '@nestjs/common';
import { type Caller } from '../../../access/index.js';
import { AppError } from '../../../common/index.js';
import { Runs, type RunView } from '../../../run/index.js';
import type { StreamReader } from '../../http/index.js';
import { afterFrames, type RunStream, RunStreams, Wires } from '../../wire/index.js';
import { type EventCursor, lastEventIdError } from './last-event-id.js';

/** Which run to read, and how. */
export interface Attachment {
  /** The run's id, or its client's own id of it, such as the `runId` of AG-UI. */
  readonly runId: string;
  /** The name of the wire whose frames are wanted. */
  readonly protocol: string;
  /** How many of them the reader has. */
  readonly after: number;
  /** Where a reader is that reconnects by itself; counts before `after`. */
  readonly lastEvent: EventCursor | undefined;
  /** `session`: the later runs of the session, too, in the same stream. */
  readonly follow: 'run' | 'session';
}

/** A run that is read. */
export interface Attached {
  /** Ours, by whichever id it was asked for. */
  readonly runId: string;
  /** Undefined when a reader that reconnected by itself has all there will ever be. */
  readonly stream: RunStream | undefined;
}

/** Reads any run, live or finished, in any wire's frames. */
@Injectable()
export class AttachService {
  constructor(
    private readonly runs: Runs,
    private readonly wires: Wires,
    private readonly streams: RunStreams,
  ) {}

  /**
   * The frames after those that the reader has.
   *
   * @throws AppError INVALID_PARAMETER (unknown wire, `Last-Event-ID` of another stream), RUN_NOT_FOUND,
   *   CURSOR_AHEAD when there are fewer frames so far, EVENTS_EXPIRED whatever the cursor: frames are made from
   *   the whole log. For `session` the last two may also be thrown by the stream, before its first frame.
   */
  async attach(caller: Caller, attachment: Attachment, reader: StreamReader): Promise<Attached> {
    const { runId, protocol, follow, lastEvent } = attachment;
    const wire = this.wires.watchable(protocol);
    const named = await this.runs.view(caller.reviewReach(caller.headerUser()), runId, { byKey: true });
    const run = lastEvent ? await this.runOf(named, lastEvent, follow) : named;
    const seen = lastEvent?.after ?? attachment.after;
    const cursor = afterFrames(seen);
    const options = { wire, expired, reconnects: true };
    if (follow === 'run') {
      const stream = await this.streams.resume(run, reader, { cursor, ...options });
      return { runId: named.runId, stream: lastEvent && stream.isRead ? undefined : stream };
    }
    const stream = await this.streams.followSession(reader, {
      principal: run,
      sessionId: run.sessionId,
      first: run,
      cursor: { of: lastEvent ? 'first run' : 'all runs', ...cursor },
      waits: 'while interrupted',
      ...options,
    });
    const isOver = lastEvent && stream.isRead && (await this.isLast(run));
    return { runId: named.runId, stream: isOver ? undefined : stream };
  }

  /**
   * The run that a cursor is in.
   *
   * @throws AppError INVALID_PARAMETER for a cursor in another stream; CURSOR_AHEAD for one in a run to come
   */
  private async runOf(run: RunView, { ordinal }: EventCursor, follow: 'run' | 'session'): Promise<RunView> {
    if (ordinal === run.ordinal || (ordinal === undefined && follow === 'run')) return run;
    if (ordinal === undefined) throw lastEventIdError('counts the frames of one run; use after with follow=session');
    if (follow === 'run' || ordinal < run.ordinal) throw lastEventIdError('belongs to another run');
    const [later] = await this.runs.list(run, run.sessionId, { before: ordinal + 1, limit: 1 });
    if (later?.ordinal !== ordinal) throw new AppError('CURSOR_AHEAD');
    return later;
  }

  /** No run follows a finished one, now or later. */
  private async isLast(run: RunView): Promise<boolean> {
    const [newest] = await this.runs.list(run, run.sessionId, { limit: 1 });
    return run.state !== 'interrupted' && (newest?.ordinal ?? 0) <= run.ordinal;
  }
}

/** The log's error names the numbers of the events that are left, which would be taken for numbers of frames. */
function expired(): Promise<never> {
  return Promise.reject(new AppError('EVENTS_EXPIRED'));
}
