import { AppError } from '../../common/index.js';
import { OpenAiError } from '../openai/index.js';
import { toHttpError } from '../http/errors/http-error.js';
import {
  errorEvent,
  notFound,
  ofResponse,
  previousNotFound,
  responseError,
  submissionError,
  wireError,
} from './responses.errors.js';

const REQUEST = 'invalid_request_error';

function told(error: unknown): object {
  const failure = toHttpError(error);
  return { status: failure.status, ...wireError(failure) };
}

describe('the errors of the Responses API', () => {
  it.each([
    { code: 'INVALID_JSON', status: 400, type: REQUEST, said: 'invalid_json' },
    { code: 'RUN_NOT_FOUND', status: 404, type: REQUEST, said: 'response_not_found', message: 'Response not found' },
    { code: 'SESSION_NOT_FOUND', status: 404, type: REQUEST, said: 'conversation_not_found' },
    { code: 'EVENTS_EXPIRED', status: 410, type: REQUEST, said: 'events_expired' },
    { code: 'QUEUE_FULL', status: 429, type: 'rate_limit_error', said: 'rate_limit_exceeded' },
    { code: 'SHUTTING_DOWN', status: 503, type: 'server_error', said: 'service_unavailable' },
    { code: 'INTERNAL_ERROR', status: 500, type: 'server_error', said: 'server_error', message: 'Internal error' },
  ] as const)('$code has all four keys of this wire', ({ code, status, type, said, ...more }) => {
    const body = told(new AppError(code));
    const message = 'message' in more ? more.message : (expect.any(String) as string);
    expect(body).toEqual({ status, message, type, param: null, code: said });
    expect(JSON.stringify(body)).not.toMatch(/\b[Rr]uns?\b|[Ss]ession/);
  });

  it('an unexpected error is not described', () => {
    expect(JSON.stringify(told(new TypeError('a secret')))).not.toContain('secret');
  });

  it('an error names its field, and the code that depends on it', () => {
    expect(told(previousNotFound('resp_x'))).toEqual({
      status: 400,
      message: "Previous response with id 'resp_x' not found.",
      type: REQUEST,
      param: 'previous_response_id',
      code: 'previous_response_not_found',
    });
    const unknownModel = notFound('RESOURCE_NOT_FOUND', 'Model', 'gpt', 'model');
    expect(told(unknownModel)).toMatchObject({ status: 404, param: 'model', code: 'model_not_found' });
  });

  it('an unknown response is reported by its id, and other errors are unchanged', async () => {
    const unknown = await ofResponse('resp_x', Promise.reject(new AppError('RUN_NOT_FOUND'))).catch(told);
    expect(unknown).toMatchObject({ status: 404, message: "Response with id 'resp_x' not found." });
    const other = new AppError('SHUTTING_DOWN');
    await expect(ofResponse('resp_x', Promise.reject(other))).rejects.toBe(other);
    await expect(ofResponse('resp_x', Promise.resolve(1))).resolves.toBe(1);
  });

  it.each([
    ['RUN_NOT_FOUND', 'resp_1', { status: 400, code: 'previous_response_not_found' }],
    ['SESSION_BUSY', undefined, { status: 400, code: 'conversation_locked', param: 'conversation' }],
    ['SESSION_BUSY', 'resp_1', { status: 400, param: 'previous_response_id' }],
    ['RUN_ID_CONFLICT', undefined, { status: 400, code: 'idempotency_key_reused' }],
    ['INTERRUPT_ALREADY_ANSWERED', undefined, { status: 400, param: 'input' }],
    ['INTERRUPT_EXPIRED', undefined, { status: 400, code: 'approval_request_expired' }],
    ['QUEUE_FULL', undefined, { status: 429 }],
  ] as const)('no error is a 409, which clients retry: %s', (code, previous, expected) => {
    expect(told(submissionError(new AppError(code), previous))).toMatchObject(expected);
  });

  it.each([
    ['MODEL_RATE_LIMIT_EXCEEDED', 'rate_limit_error', 'rate_limit_exceeded', 'No'],
    ['MODEL_QUOTA_EXCEEDED', 'rate_limit_error', 'rate_limit_exceeded', 'No'],
    ['MODEL_CONTEXT_LENGTH_EXCEEDED', REQUEST, 'invalid_prompt', 'No'],
    ['MODEL_TIMEOUT', 'server_error', 'server_error', 'No (MODEL_TIMEOUT)'],
    ['MODEL_NOT_FOUND', 'server_error', 'server_error', 'No (MODEL_NOT_FOUND)'],
    ['MODEL_EXECUTION_FAILED', 'server_error', 'server_error', 'No'],
    ['AGENT_UNKNOWN_ERROR', 'server_error', 'server_error', 'No'],
    ['MY_OWN', 'server_error', 'server_error', 'No'],
  ])('a response that has failed with %s says so', (original, type, code, message) => {
    expect(responseError({ code: original, message: 'No' })).toEqual({ type, code, message, param: null });
  });

  it('an error event repeats its fields for both kinds of clients', () => {
    const error = wireError(toHttpError(new OpenAiError('INVALID_PARAMETER', 'no', 'input')));
    expect(errorEvent(error, 7)).toEqual({
      type: 'error',
      sequence_number: 7,
      code: 'invalid_value',
      message: 'no',
      param: 'input',
      error: { type: REQUEST, code: 'invalid_value', message: 'no', param: 'input' },
    });
  });
});
