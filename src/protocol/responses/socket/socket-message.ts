import { AppError, isPlainObject } from '../../../common/index.js';
import { checkJsonLimits } from '../../http/json-limits.js';

/** A message of a client: a JSON object. */
export type SocketMessage = Readonly<Record<string, unknown>>;

/** @throws AppError for what is no JSON object; `text` is undefined for a message that is no text */
export function parseMessage(text: string | undefined, maxDepth: number): SocketMessage {
  if (text === undefined) throw new AppError('INVALID_JSON', 'Messages must be JSON text');
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    throw new AppError('INVALID_JSON', 'The message is not valid JSON');
  }
  checkJsonLimits(message, { maxDepth });
  if (!isPlainObject(message)) throw new AppError('PARAMETER_VALIDATION', 'The message must be a JSON object');
  return message;
}

/** The request in a message. @throws AppError for what is no `response.create` message */
export function bodyOf(message: SocketMessage): SocketMessage {
  const { type, stream: _stream, stream_options: _options, background: _background, ...body } = message;
  if (type === 'response.create') return body;
  const sentence = 'type must be response.create';
  throw new AppError('INVALID_PARAMETER', sentence, { details: [{ path: 'type', message: sentence }] });
}

/** The name of the one of several users of a connection who sends the message; undefined when it tells none. */
export function laneOf({ stream_id: lane }: SocketMessage): string | undefined {
  return typeof lane === 'string' ? lane : undefined;
}

/** The JSON of a message to that user. */
export function inLane(json: string, lane: string | undefined): string {
  return lane === undefined ? json : `${json.slice(0, -1)},"stream_id":${JSON.stringify(lane)}}`;
}
