import { AppError, type ErrorCode } from '../../common/index.js';

/**
 * An error whose HTTP status on this wire is not that of its code: clients of this wire repeat requests
 * that get a 409 by themselves, so what must not be repeated is a 400.
 */
export class ResponsesRefusal extends AppError {
  override readonly status: number;

  /** @param param the field it is about; null when it is about none */
  constructor(code: ErrorCode, message: string, param: string | null, status = 400) {
    super(code, message, param === null ? {} : { details: [{ path: param, message }] });
    this.status = status;
  }
}

/** The refusal of an unknown, foreign, deleted or unstored predecessor. */
export function previousNotFound(id: string): ResponsesRefusal {
  return new ResponsesRefusal('RUN_NOT_FOUND', `Previous response with id '${id}' not found.`, 'previous_response_id');
}

/** The refusal of an unknown id in a path, or of one in the body. */
export function notFound(code: ErrorCode, what: string, id: string, param: string | null = null): ResponsesRefusal {
  return new ResponsesRefusal(code, `${what} with id '${id}' not found.`, param, 404);
}

/** Waits for what concerns one response: an unknown id is told in the words of this wire. */
export async function ofResponse<T>(id: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError && error.code === 'RUN_NOT_FOUND') throw notFound(error.code, 'Response', id);
    throw error;
  }
}

/**
 * What accepting a run may refuse, in the words of this wire. Other errors pass.
 *
 * @param previous the id that the request goes on from
 */
export function acceptRefusal(error: unknown, previous: string | undefined): unknown {
  if (!(error instanceof AppError)) return error;
  if (error.code === 'RUN_NOT_FOUND' && previous !== undefined) return previousNotFound(previous);
  if (error.code === 'SESSION_BUSY') {
    const message = 'Another response is being generated in this conversation. Retry when it is complete.';
    return new ResponsesRefusal(
      'SESSION_BUSY',
      message,
      previous === undefined ? 'conversation' : 'previous_response_id',
    );
  }
  if (error.code === 'RUN_ID_CONFLICT') {
    return new ResponsesRefusal(error.code, 'This Idempotency-Key was used with another request.', 'Idempotency-Key');
  }
  if (error.code === 'INTERRUPT_ALREADY_ANSWERED' || error.code === 'INTERRUPT_EXPIRED') {
    return new ResponsesRefusal(error.code, error.message, 'input');
  }
  if (error.code === 'INVALID_PARAMETER' && error.details?.[0]?.path.startsWith('input[')) {
    // The path is of messages, which are not the items that the client has sent.
    return new ResponsesRefusal(error.code, error.message, 'input');
  }
  return error;
}
