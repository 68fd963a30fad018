import { AppError, isPlainObject } from '../../../common/index.js';
import type { JsonLimits } from '../../http/bodies/json-limits.js';
import { parseJsonText } from '../../http/bodies/json-text.js';
import { REQUEST_ERROR } from '../../openai/index.js';

/** The fields of a message. */
export type SocketRequest = Readonly<Record<string, unknown>>;

/** The type of messages with input for the response in progress. */
const STEER = 'response.steer';

/** True for a message with input for the response in progress. */
export function isSteer({ type }: SocketRequest): boolean {
  return type === STEER;
}

/** Reads a message. @param data undefined for a binary one @throws AppError INVALID_JSON, PARAMETER_VALIDATION */
export function parseMessage(data: Buffer | undefined, limits: JsonLimits): SocketRequest {
  if (data === undefined) throw new AppError('INVALID_JSON', 'Messages must be JSON text');
  const message = parseJsonText(data, limits, 'The message is not valid JSON');
  if (!isPlainObject(message)) throw new AppError('PARAMETER_VALIDATION', 'The message must be a JSON object');
  return message;
}

/** True for a message that is to change the response in progress. Few messages have the word at all. */
export function isSteering(data: Buffer, limits: JsonLimits): boolean {
  if (!data.includes(STEER)) return false;
  try {
    return isSteer(parseMessage(data, limits));
  } catch {
    return false;
  }
}

/** The event that returns input which a response cannot take. It belongs to no response, so its number is 0. */
export function steerFailed(input: unknown, target: unknown): object {
  const message = 'This server does not take input into a response in progress: send it in a response.create';
  return {
    type: 'response.steer.failed',
    sequence_number: 0,
    error: { type: REQUEST_ERROR, code: 'steering_not_supported', message },
    steer: { input, previous_response_id: target },
  };
}

/** The request in a message. @throws AppError INVALID_PARAMETER for any other type than `response.create` */
export function requestOf(message: SocketRequest): SocketRequest {
  const { type, stream: _stream, stream_options: _options, background: _background, ...request } = message;
  if (type === 'response.create') return request;
  const rule = 'type must be response.create';
  throw new AppError('INVALID_PARAMETER', rule, { details: [{ path: 'type', message: rule }] });
}

/** Tells apart several users of one connection; undefined when the message has none. */
export function streamIdOf({ stream_id: streamId }: SocketRequest): string | undefined {
  return typeof streamId === 'string' ? streamId : undefined;
}

/** Inserts the member into the JSON text, which avoids parsing and encoding each event again. */
export function withStreamId(json: string, streamId: string | undefined): string {
  return streamId === undefined ? json : `${json.slice(0, -1)},"stream_id":${JSON.stringify(streamId)}}`;
}
