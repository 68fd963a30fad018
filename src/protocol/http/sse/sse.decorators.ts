import { applyDecorators, Get, HttpCode, Post, SetMetadata } from '@nestjs/common';
import { ApiProduces } from '@nestjs/swagger';
import { AcceptsTicket } from '../../../access/index.js';

/** Marks the routes that `SseInterceptor` serves. */
const STREAM = Symbol('parley.stream');

/**
 * A POST route whose handler answers with an event stream: an `Observable<readonly string[]>` of
 * batches of complete frames. A handler may also answer with an object, which is sent as JSON.
 */
export function SsePost(path: string): MethodDecorator {
  return applyDecorators(Post(path), ...stream());
}

/** A GET route of the same kind as `SsePost`. Browsers may open it with a ticket (contract access, section 3.4). */
export function SseGet(path: string): MethodDecorator {
  return applyDecorators(Get(path), AcceptsTicket(), ...stream());
}

function stream(): MethodDecorator[] {
  return [HttpCode(200), ApiProduces('text/event-stream', 'application/json'), SetMetadata(STREAM, true)];
}

/** Whether a handler is that of a route by `SsePost` or `SseGet`. */
export function isStreamRoute(handler: object): boolean {
  return Reflect.getMetadata(STREAM, handler) === true;
}
