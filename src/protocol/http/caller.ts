import type { IncomingMessage } from 'node:http';
import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Principal } from '../../common/index.js';
import { type RequestScope, requestPrincipal, requestScope } from './principal.js';
import { userIdHeader } from './user-id-header.js';

/** Who is asking, as the request's credentials say; without authentication as the request itself says. */
export interface Caller {
  readonly tenantId: string;
  /** The caller as a principal, for what a request does in nobody else's name. */
  readonly principal: Principal;

  /**
   * Whose a new thing is, or which user's things are meant.
   *
   * @param userId the user that the request names
   * @param unnamed the user when it names none: a session that nobody is named for is a user of its own.
   *   Absent, it is the caller.
   */
  actingFor(userId: string | undefined, unnamed?: string): Principal;

  /** Whose things a request may see that names this user; when it names none, those of all users of the tenant. */
  scope(userId: string | undefined): RequestScope;

  /** The user that the header `X-User-Id` names. @throws AppError INVALID_PARAMETER as `userIdHeader` */
  userIdHeader(): string | undefined;
}

/** Finds out who sends a request: the one place where credentials are read. */
@Injectable()
export class CallerResolver {
  resolve(raw: IncomingMessage): Caller {
    return new AnonymousCaller(raw);
  }
}

/** A caller without credentials: it is whom it names. */
class AnonymousCaller implements Caller {
  readonly principal = requestPrincipal(undefined);
  readonly tenantId = this.principal.tenantId;

  constructor(private readonly raw: IncomingMessage) {}

  actingFor(userId: string | undefined, unnamed?: string): Principal {
    return requestPrincipal(userId ?? unnamed);
  }

  scope(userId: string | undefined): RequestScope {
    return requestScope(userId);
  }

  userIdHeader(): string | undefined {
    return userIdHeader({ raw: this.raw });
  }
}

const callers = new WeakMap<FastifyRequest, Caller>();

/** Resolves the caller of every request before its handler. */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(private readonly resolver: CallerResolver) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    callers.set(request, this.resolver.resolve(request.raw));
    return true;
  }
}

/** Gives a handler its caller: `@Caller() caller: Caller`. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const caller = callers.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (!caller) throw new TypeError('The route has no CallerGuard');
  return caller;
});
