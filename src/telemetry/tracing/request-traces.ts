import type { IncomingMessage, ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { loggedPath, maskCredentials } from '../../common/index.js';
import { HiddenProperty } from '../../runtime/index.js';
import { COMMON } from './attributes.js';
import { type Span, Tracing } from './tracing.js';

/** Of requests that are being traced. */
const spans = new HiddenProperty<IncomingMessage, Span>('span');

/** The span of one request that came over a WebSocket. */
export interface SocketRequestSpan {
  /** As `Span.traceparent`. */
  readonly traceparent: string;
  /** Ends the span. @param status that of the answer, as over HTTP */
  end(status: number): void;
}

/** The span of each request. A `traceparent` of the client is continued. */
@Injectable()
export class RequestTraces {
  constructor(private readonly tracing: Tracing) {}

  /** Begins the span of a request. */
  began({ raw }: FastifyRequest): void {
    const span = this.start(raw.method ?? 'HTTP', raw);
    if (span) spans.set(raw, span);
  }

  /**
   * Begins the span of a request that came in a message of a WebSocket. It continues the trace of the request that
   * opened the connection, if that one names a trace; otherwise it begins a trace.
   *
   * @param opening the request that opened the connection
   * @returns undefined if traces are not exported
   */
  beganOnSocket(opening: IncomingMessage): SocketRequestSpan | undefined {
    const route = pathOf(opening);
    const method = opening.method ?? 'GET';
    const span = this.start(`${method} ${route}`, opening);
    span?.set({ [COMMON.route]: route, [COMMON.protocol]: 'websocket' });
    return span && { traceparent: span.traceparent, end: (status) => endWith(span, status) };
  }

  /** Ends the span of a request, under the name of its route. */
  ended(request: FastifyRequest, response: ServerResponse): void {
    const span = spans.get(request.raw);
    if (!span) return;
    const { statusCode } = response;
    const route = request.is404 ? undefined : request.routeOptions.url;
    if (route !== undefined) span.rename(`${request.method} ${route}`);
    if (route !== undefined) span.set({ [COMMON.route]: route });
    endWith(span, statusCode);
  }

  private start(name: string, request: IncomingMessage): Span | undefined {
    const { traceparent } = request.headers;
    const attributes = { [COMMON.method]: request.method ?? '', [COMMON.path]: pathOf(request) };
    const parent = typeof traceparent === 'string' ? traceparent : undefined;
    return this.tracing.start(name, { kind: 'server', parent, attributes });
  }
}

/** Ends the span of a request. Errors of the client are no errors of the server. */
function endWith(span: Span, status: number): void {
  span.set({ [COMMON.status]: status });
  span.end(status >= 500 ? String(status) : undefined);
}

/** The path without the query, and without credentials. */
function pathOf({ url = '' }: IncomingMessage): string {
  return maskCredentials(loggedPath(url));
}

/** The `traceparent` under which what a request causes is traced; undefined if it is not traced. */
export function traceparentOf(request: IncomingMessage): string | undefined {
  return spans.get(request)?.traceparent;
}

/** The trace that a request belongs to; undefined if it is not traced. */
export function traceIdOf(request: IncomingMessage): string | undefined {
  return spans.get(request)?.traceId;
}
