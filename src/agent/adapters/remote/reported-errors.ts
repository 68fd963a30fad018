import { type Fields, objectAt, textAt } from './json-fields.js';
import { reportedFailure } from './remote-failure.js';
import type { ExchangeEnd } from './remote-kind.js';

/**
 * The end of an exchange by an error in place of an event, `{"error": …}` with a message or as a sentence: servers send it
 * for what fails before their protocol has begun. Undefined for any other object.
 *
 * @param secrets are masked
 */
export function bareFailure(fields: Fields, secrets: readonly string[]): ExchangeEnd | undefined {
  if (!fields['error']) return undefined;
  const error = objectAt(fields, 'error');
  const message = textAt(fields, 'error') ?? textAt(error, 'message') ?? '';
  return { kind: 'failed', error: reportedFailure(message, textAt(error, 'code'), secrets) };
}
