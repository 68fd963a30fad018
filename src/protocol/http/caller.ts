import type { IncomingMessage } from 'node:http';
import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { DEFAULT_TENANT, type Principal } from '../../common/index.js';
import { userIdHeader } from './user-id-header.js';

/** The user of a request that names none. */
const ANONYMOUS_USER = 'anonymous';

/** Whose things a request may see: those of one user, or of all users of a tenant. */
export interface RequestScope {
  /** The tenant whose data the request may see. */
  readonly tenantId: string;
  /** Absent for all users of the tenant. */
  readonly userId?: string;
}

/** Who sends a request: the owner of its credentials or, without authentication, the user that it names. */
export interface Caller {
  /** The tenant of the credentials, or the default one without authentication. */
  readonly tenantId: string;
  /** The caller itself, for requests that name no user. */
  readonly principal: Principal;

  /**
   * The owner of what a request creates, or of what it refers to.
   *
   * @param userId the user that the request names
   * @param unnamed the user if it names none, such as the id of the session. Default: the caller
   */
  actingFor(userId: string | undefined, unnamed?: string): Principal;

  /** Whose things a request may see that names this user; if it names none, those of all users of the tenant. */
  scope(userId: string | undefined): RequestScope;

  /** The user that the header `X-User-Id` names. @throws AppError INVALID_PARAMETER as `userIdHeader` */
  userIdHeader(): string | undefined;
}

/** Determines who sends a request: the only place that reads credentials. */
@Injectable()
export class CallerResolver {
  resolve(raw: IncomingMessage): Caller {
    return new AnonymousCaller(raw);
  }
}

/** The caller of a server without authentication. */
class AnonymousCaller implements Caller {
  readonly tenantId = DEFAULT_TENANT;
  readonly principal = this.actingFor(undefined);

  constructor(private readonly raw: IncomingMessage) {}

  actingFor(userId: string | undefined, unnamed?: string): Principal {
    return { tenantId: this.tenantId, userId: userId ?? unnamed ?? ANONYMOUS_USER };
  }

  scope(userId: string | undefined): RequestScope {
    return userId === undefined ? { tenantId: this.tenantId } : this.actingFor(userId);
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
