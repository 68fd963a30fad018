import { AppError } from '../../common/index.js';
import type { RunRequest } from '../run.types.js';

/**
 * Checks the free-form parts of a request, each by itself: the shared state, the forwarded properties, the schemas of
 * client tools and of the answer. They are copied, compared, stored and shown many times.
 *
 * @param limit bytes of each part as JSON
 * @throws AppError PAYLOAD_TOO_LARGE naming the first part that is larger
 */
export function checkRequestSize(request: RunRequest, limit: number): void {
  checkPart('The shared state', request.state, limit);
  checkPart('The forwarded properties', request.forwardedProps, limit);
  for (const { name, parameters } of request.clientTools)
    checkPart(`The schema of the tool ${name}`, parameters, limit);
  const { responseFormat } = request.modelOptions;
  if (responseFormat?.type === 'json_schema') checkPart('The schema of the answer', responseFormat.schema, limit);
}

function checkPart(what: string, part: object | undefined, limit: number): void {
  if (part === undefined || Object.keys(part).length === 0) return;
  const bytes = Buffer.byteLength(JSON.stringify(part));
  if (bytes <= limit) return;
  throw new AppError('PAYLOAD_TOO_LARGE', `${what} must not have more than ${limit} bytes of JSON, but has ${bytes}`);
}
