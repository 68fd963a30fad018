import { AppError } from '../../common/index.js';
import { toHttpError } from '../http/http-error.js';
import type { ResponsesEncoder } from './responses.encoder.js';

/**
 * Passes frames on and makes every end visible: clients of this wire take a stream that merely stops
 * for a finished one (contract responses, section 0, rule 3). When the log fails or is no longer told before
 * the terminal event, an `error` event says so. An error before the first frame is thrown.
 */
export async function* withVisibleEnd(
  frames: AsyncIterable<readonly string[]>,
  encoder: ResponsesEncoder,
  gone: AbortSignal,
): AsyncGenerator<readonly string[], void, void> {
  let hasBegun = false;
  try {
    for await (const batch of frames) {
      hasBegun ||= batch.length > 0;
      yield batch;
    }
  } catch (error) {
    if (!hasBegun) throw error;
    yield encoder.fail(toHttpError(error));
    return;
  }
  if (!gone.aborted) yield encoder.fail(toHttpError(new AppError('SHUTTING_DOWN')));
}
