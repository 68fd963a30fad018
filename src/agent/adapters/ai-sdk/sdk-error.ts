import type { APICallError } from '@ai-sdk/provider';
import { AppError } from '../../../common/index.js';
import { faultOf } from '../chat-completions/finish-reason.js';
import { UpstreamStatusError, UpstreamStreamError } from '../upstream/upstream-error.js';

/** A request that a package does not write. Its text is read as a refusal of the server is: the request may have another form. */
export class UnwritableRequestError extends UpstreamStatusError {
  constructor(override readonly cause: Error) {
    super(400, {}, JSON.stringify({ error: { message: cause.message } }), { cause });
    this.name = 'UnwritableRequestError';
  }

  /** The error to report if there is no other form. */
  get reported(): AppError {
    return new AppError('INVALID_PARAMETER', 'The model does not take a part of the request', { cause: this.cause });
  }
}

/**
 * The error of a provider package as this client's errors. Provider packages contain their own copies of the error
 * classes, so errors are recognised by name.
 */
export function upstreamErrorOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  switch (error.name) {
    case 'AI_APICallError':
      return fromApiCall(error as APICallError);
    case 'AI_LoadAPIKeyError':
    case 'AI_LoadSettingError':
      return new AppError('MODEL_UNAUTHORIZED_ACCESS', undefined, { cause: error });
    case 'AI_NoSuchModelError':
    case 'AI_NoSuchProviderError':
      return new AppError('MODEL_NOT_FOUND', undefined, { cause: error });
    case 'AI_UnsupportedFunctionalityError':
    case 'AI_InvalidArgumentError':
      return new UnwritableRequestError(error);
    case 'AI_TypeValidationError':
    case 'AI_JSONParseError':
    case 'AI_InvalidResponseDataError':
    case 'AI_EmptyResponseBodyError':
      return new UpstreamStreamError(error);
    default:
      return error;
  }
}

/** Without a status the connection failed: the cause says how. */
function fromApiCall(error: APICallError): Error {
  const { statusCode, responseHeaders = {}, responseBody, message } = error;
  if (statusCode === undefined) return error;
  // An error that a provider sent in a stream of status 200.
  if (statusCode < 400) return new UpstreamStreamError(error.data ?? error);
  // Groq refuses its model's own answer if it has a call or JSON that cannot be read.
  if (statusCode === 400 && responseBody?.includes('tool_use_failed')) return faultOf('malformed_tool_call');
  if (statusCode === 400 && responseBody?.includes('json_validate_failed')) {
    return new UpstreamStreamError(new Error(message), 'The model made JSON that is not valid', true);
  }
  return new UpstreamStatusError(statusCode, responseHeaders, responseBody ?? message, { cause: error.cause });
}
