import { Injectable } from '@nestjs/common';
import { AppError, DEFAULT_TENANT, type Principal } from '../../common/index.js';
import { Runs, type RunView } from '../../run/index.js';
import { type EncoderFactory, encodeTail, SkipFrames } from '../http/index.js';
import { badPlace, type EventPlace } from './event-place.js';

/** Finds out where readers are that come again with the id of their last frame. */
@Injectable()
export class AttachPlaces {
  constructor(private readonly runs: Runs) {}

  /**
   * The run that a place is in.
   *
   * @throws AppError INVALID_PARAMETER for a place in another stream; CURSOR_AHEAD for one in a run to come
   */
  async runOf(run: RunView, { ordinal }: EventPlace, follow: 'run' | 'session'): Promise<RunView> {
    if (ordinal === run.ordinal || (ordinal === undefined && follow === 'run')) return run;
    if (ordinal === undefined) throw badPlace('numbers the frames of one run: with follow=session give after');
    if (follow === 'run' || ordinal < run.ordinal) throw badPlace('is of another run');
    const [later] = await this.runs.list(principalOf(run), run.sessionId, { before: ordinal + 1, limit: 1 });
    if (later?.ordinal !== ordinal) throw new AppError('CURSOR_AHEAD');
    return later;
  }

  /**
   * True when nothing follows after so many frames of a run, now or later.
   *
   * @throws AppError CURSOR_AHEAD, EVENTS_EXPIRED
   */
  async isRead(run: RunView, factory: EncoderFactory, after: number, follow: 'run' | 'session'): Promise<boolean> {
    if (run.finishedAt === null) return false;
    const cursor = new SkipFrames(factory(run), Number.POSITIVE_INFINITY);
    for await (const frames of framesOnly(encodeTail(this.runs.tail(principalOf(run), run.runId), cursor))) void frames;
    if (cursor.count < after) throw cursorAhead(after, cursor.count);
    if (cursor.count > after || follow === 'run') return cursor.count === after;
    const [newest] = await this.runs.list(principalOf(run), run.sessionId, { limit: 1 });
    return run.state !== 'interrupted' && (newest?.ordinal ?? 0) <= run.ordinal;
  }
}

function principalOf({ userId }: RunView): Principal {
  return { tenantId: DEFAULT_TENANT, userId };
}

/** The numbers of events that are left would be taken for numbers of frames: the refusal goes without them. */
export async function* framesOnly(
  batches: AsyncIterable<readonly string[]>,
): AsyncGenerator<readonly string[], void, void> {
  try {
    yield* batches;
  } catch (error) {
    throw error instanceof AppError && error.code === 'EVENTS_EXPIRED' ? new AppError('EVENTS_EXPIRED') : error;
  }
}

/** The refusal of a cursor beyond the frames there are. */
export function cursorAhead(after: number, count: number): AppError {
  const message = `after is ${after}, but this run has ${count} frames so far`;
  return new AppError('CURSOR_AHEAD', message, { details: [{ path: 'after', message }] });
}
