import { AppError, RETRY_AFTER_SECONDS } from '../../../common/index.js';

/**
 * The server ends a stream before its run has ended, on a wire whose clients take every clean end for the end of the
 * answer: the connection is cut. Before the first frame it is the answer of a server that stops.
 */
export class StreamCut extends AppError {
  constructor() {
    super('SHUTTING_DOWN', undefined, { retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
}
