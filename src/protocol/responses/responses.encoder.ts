import { AppError } from '../../common/index.js';
import type { LoggedEvent } from '../../events/index.js';
import { DONE_FRAME, eventFrame } from '../http/sse/frames.js';
import { type HttpError, toHttpError } from '../http/errors/http-error.js';
import type { FrameEncoder } from '../wire/frame-encoder.js';
import type { EventStyle } from './encoder/event-sequencer.js';
import { ResponsesFold } from './encoder/responses-fold.js';
import type { ResponseInfo } from './response-info.js';
import { errorEvent, wireError } from './responses.errors.js';

/** As `eventFrame`, without a look for line breaks: there are none in a type or in the JSON of an event. */
const FRAMES: EventStyle = { before: (type) => `event: ${type}\ndata: `, after: '\n\n' };

/**
 * The Responses view of a run as server-sent events (contract responses, section A5): each frame has the type of
 * its event and no id, and `[DONE]` comes last. One frame, one write.
 */
export class ResponsesEncoder implements FrameEncoder {
  readonly joinable = false;
  /** What a response shows follows from its run alone. */
  readonly variant = 'responses';
  private readonly fold: ResponsesFold;

  constructor(info: ResponseInfo) {
    this.fold = new ResponsesFold(info, FRAMES);
  }

  /** Skips the events that the client already has: `next` then yields '' in their place. */
  discardFirst(frames: number): void {
    this.fold.discardFirst(frames);
  }

  /** The frames of one event of the run; often none, sometimes several. */
  next(event: LoggedEvent): readonly string[] {
    return this.fold.next(event);
  }

  /** Clients take a stream that merely stops for a complete one, so it ends with an `error` event. */
  errorFrames(error: HttpError): readonly string[] {
    const event = errorEvent(wireError(error), this.fold.lastNumber + 1);
    return [eventFrame(JSON.stringify(event), { event: 'error' }), DONE_FRAME];
  }

  /** Tells the client that the stream ends while the run continues. */
  shutdownFrame(): string {
    return this.errorFrames(toHttpError(new AppError('SHUTTING_DOWN'))).join('');
  }

  /** `[DONE]`, but only after the terminal event: otherwise clients would take the response for complete. */
  end(): readonly string[] {
    return this.fold.ended ? [DONE_FRAME] : [];
  }
}
