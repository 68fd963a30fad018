import { AppError } from '../../common/index.js';
import type { LoggedEvent } from '../../events/index.js';
import type { FrameEncoder } from '../wire/frame-encoder.js';
import { type HttpError, toHttpError } from '../http/http-error.js';
import { DONE_FRAME, eventFrame } from '../http/frames.js';
import { ResponsesFold } from './encoder/response-fold.js';
import type { ResponseInfo } from './response-info.js';
import { errorEvent, wireError } from './responses.errors.js';

/**
 * The Responses view of a run as server-sent events (contract responses, section A5): each frame has the type of
 * its event and no id, and `[DONE]` comes last. Frames stay apart: one frame, one write.
 */
export class ResponsesEncoder implements FrameEncoder {
  readonly joinable = false;
  private readonly fold: ResponsesFold;
  private readonly startingAfter: number;
  private hasFailed = false;

  /** @param startingAfter frames up to this `sequence_number` are counted and not written; -1 for none */
  constructor(info: ResponseInfo, startingAfter = -1) {
    this.fold = new ResponsesFold(info);
    this.startingAfter = startingAfter;
  }

  /** The `sequence_number` of the last frame, counted whether or not it was written; -1 before the first. */
  get lastNumber(): number {
    return this.fold.lastNumber;
  }

  /** The terminal frame was made. */
  get isOver(): boolean {
    return this.fold.ended !== undefined;
  }

  next(event: LoggedEvent): readonly string[] {
    const before = this.fold.lastNumber;
    const events = this.fold.next(event);
    const skip = Math.max(0, this.startingAfter - before);
    return events.slice(skip).map(({ type, json }) => eventFrame(json, { event: type }));
  }

  /**
   * The `error` event after the last frame, and the end: for a stream that cannot go on to its terminal
   * event. Nothing when the stream has an end already.
   */
  fail(failure: HttpError): readonly string[] {
    if (this.isOver || this.hasFailed) return [];
    this.hasFailed = true;
    const event = errorEvent(wireError(failure), this.lastNumber + 1);
    return [eventFrame(JSON.stringify(event), { event: 'error' }), DONE_FRAME];
  }

  shutdownFrame(): string {
    return this.fail(toHttpError(new AppError('SHUTTING_DOWN'))).join('');
  }

  end(): readonly string[] {
    return this.fold.ended ? [DONE_FRAME] : [];
  }
}
