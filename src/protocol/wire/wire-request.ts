import type { FastifyRequest } from 'fastify';
import { type Caller, callerOf } from '../../access/index.js';
import { queryDto } from '../http/index.js';

/** A request as the decoder of its route reads it. */
export class WireRequest {
  constructor(private readonly request: FastifyRequest) {}

  /** The parsed body: any JSON; undefined without one. */
  get body(): unknown {
    return this.request.body;
  }

  /** The query as it was sent, unless `query` was called. */
  get rawQuery(): unknown {
    return this.request.query;
  }

  /** By their names in lower case. */
  get headers(): FastifyRequest['headers'] {
    return this.request.headers;
  }

  /** The parameters of the path. */
  get params(): Readonly<Record<string, string>> {
    return this.request.params as Readonly<Record<string, string>>;
  }

  /** Who sent it. */
  get caller(): Caller {
    const caller = callerOf(this.request);
    if (!caller) throw new TypeError('A public route has no caller');
    return caller;
  }

  /** The checked query, which the handler then gets as it is. @throws AppError PARAMETER_VALIDATION */
  query<T extends object>(Dto: new () => T): T {
    const query = queryDto(Dto, this.request.query);
    this.request.query = query;
    return query;
  }
}
