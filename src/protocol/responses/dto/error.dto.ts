import { madeDto, nullableString, string } from './made-dto.js';

const ErrorDto = madeDto('ResponsesErrorDetail', {
  message: string,
  type: string,
  param: nullableString,
  code: nullableString,
});

/** The body of every error before a stream. */
export const ResponsesErrorDto = madeDto('ResponsesError', { error: { type: ErrorDto } });
