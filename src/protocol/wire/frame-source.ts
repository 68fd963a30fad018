import type { HttpError } from '../http/errors/http-error.js';
import type { FrameBatch } from './frame-encoder.js';

/** What a source of frames returns next. */
export type Step = IteratorResult<FrameBatch, undefined>;

/** An empty batch: the request is accepted. */
export const ACCEPTED: Step = { done: false, value: [] };
/** Nothing follows. */
export const DONE: Step = { done: true, value: undefined };
/** Batches of frames, and the frames that end them early: what every transport writes. */
export interface FrameSource extends AsyncIterableIterator<FrameBatch> {
  /** What a server that stops writes last; undefined for a source that has ended. Reading it ends the source. */
  readonly shutdownFrame: string | undefined;
  /** As `FrameEncoder.isCutAtShutdown`, of a source that has not ended. */
  readonly isCutAtShutdown: boolean;
  /** The terminal event of the run, of the last one where there are several, was encoded. */
  readonly hasEnded: boolean;
  /** As `FrameEncoder.errorFrames`; undefined where the wire has none. */
  errorFrames(error: HttpError): readonly string[] | undefined;
  /** Reads ahead to the first batch of frames, or to where a cursor is verified. @throws what reading throws */
  prime(): Promise<void>;
  /** After `prime`: the run has ended, and the reader has all its counted frames. */
  readonly isRead: boolean;
}

/** A frame that a source ends with; a wire may have none. */
export function lastFrame(frame: string | undefined): Step {
  return frame ? { done: false, value: [frame] } : DONE;
}
