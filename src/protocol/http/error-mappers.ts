import { Injectable } from '@nestjs/common';
import type { HttpError } from './http-error.js';

/** One wire's error body. `requestId` names the request in the server's log. */
export type ErrorMapper = (failure: HttpError, requestId: string) => object;

/** The error bodies of wires that have their own, by the beginning of the path. */
@Injectable()
export class ErrorMappers {
  private readonly mappers: { readonly prefix: string; readonly mapper: ErrorMapper }[] = [];

  /** Registers a body for all paths that begin with `prefix`; the longest prefix wins. */
  register(prefix: string, mapper: ErrorMapper): void {
    this.mappers.push({ prefix, mapper });
    this.mappers.sort((a, b) => b.prefix.length - a.prefix.length);
  }

  /** The body of a failure on a path. */
  bodyOf(path: string, failure: HttpError, requestId: string): object {
    const own = this.mappers.find(({ prefix }) => path.startsWith(prefix));
    return own ? own.mapper(failure, requestId) : commonBody(failure, requestId);
  }
}

/** `{code, message, details?, requestId?}`; the request id helps where the log knows more than the client. */
function commonBody({ status, code, message, details }: HttpError, requestId: string): object {
  return { code, message, ...(details && { details }), ...(status >= 500 && { requestId }) };
}
