import type { IncomingMessage } from 'node:http';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import {
  type Actor,
  AppError,
  type Authority,
  type Carried,
  type CarriedHeaders,
  DEFAULT_TENANT,
  type ErrorCode,
  missingScope,
  type Networks,
  type Origin,
  type Principal,
  type Reach,
  type Requester,
  tenantReach,
  userReach,
} from '../../common/index.js';
import { HiddenProperty } from '../../runtime/index.js';
import { traceparentOf } from '../../telemetry/index.js';
import type { Identity } from './identity.js';
import { namedUser, type NamedUser } from './named-user.js';
import { nameRequest, placeOf, requestIdOf } from './request-place.js';
import { type Scope, Scopes, UNAUTHENTICATED_SCOPES } from './scopes.js';
import { userIdHeader } from './user-id.js';

/** The user of a request that names none, without authentication. */
const ANONYMOUS_USER = 'anonymous';
/** How the user of a key begins that acts for nobody else. */
export const SERVICE_USER_PREFIX = 'service:';

/** For whom a request acts. A submission of a wire has it, resolved once. */
export interface Submitter {
  /** The owner of what the request creates. */
  readonly principal: Principal;
  /** Whose data it may refer to. */
  readonly reach: Reach;
  /** The rights with which its runs start; null without authentication, which limits nothing. */
  readonly requester: Requester | null;
}

/** Who sends a request: what its credential was turned into (contract access, section 2). */
export interface Caller {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly scopes: Scopes;
  readonly roles: readonly string[];
  /** The verified credential; undefined without authentication. */
  readonly identity: Identity | undefined;
  /** The caller itself, or the user that `X-User-Id` names and that it may act for. */
  readonly principal: Principal;
  /** The data that the request may read or change by id. */
  readonly reach: Reach;
  /** Whose data this caller sees in lists. */
  readonly listReach: Reach;
  /** What the caller may run and use; null without authentication. */
  readonly authority: Authority | null;
  /** The endpoint that the header `X-Webhook` names for the end of the run (contract hooks, section A1). */
  readonly webhook?: string | undefined;
  /** What the run that the request begins carries on to remote agents. @throws AppError as `CarriedHeaders.of` */
  readonly carried?: Carried | undefined;
  /** The `traceparent` under which what the request causes is traced; absent if it is not. */
  readonly traceparent?: string | undefined;

  /**
   * The owner of what a request creates, or of what it refers to.
   *
   * @param named the user that the request names, other than in the header `X-User-Id`
   * @param unnamed without authentication: the user if the request names none, such as the id of the session
   * @throws AppError PERMISSION_DENIED for a user that the caller may not act for, INVALID_PARAMETER for two
   *   different ones
   */
  actingFor(named?: NamedUser, unnamed?: string): Principal;

  /** Whose data a request may read or change by id that names this user. @throws AppError as `actingFor` */
  reachOf(named?: NamedUser): Reach;

  /**
   * Whose interrupts and watched runs a request reaches. As `reachOf`, but with the scope `data:tenant` those of all
   * users of the tenant, or of any that the request names (contract access, section 2).
   *
   * @throws AppError as `actingFor`
   */
  reviewReach(named?: NamedUser): Reach;

  /**
   * With which rights a request that names this user starts runs and answers interrupts; null without
   * authentication, which limits nothing.
   *
   * @throws AppError as `actingFor`
   */
  requesterFor(named?: NamedUser): Requester | null;

  /**
   * `actingFor`, `reachOf` and `requesterFor` of a request that names this user.
   *
   * @throws AppError as `actingFor`
   */
  submitter(named?: NamedUser, unnamed?: string): Submitter;

  /**
   * The user that a request names in one of several places: the first that does. Without authentication the others
   * are not looked at.
   *
   * @throws AppError INVALID_PARAMETER for two different users (contract access, section 4)
   */
  oneUser(...names: readonly (NamedUser | undefined)[]): NamedUser | undefined;

  /** The user that the header `X-User-Id` names. @throws AppError INVALID_PARAMETER as `userIdHeader` */
  headerUser(): NamedUser | undefined;

  /** Where what the request does comes from, for the audit trail. @throws AppError as `actingFor` */
  origin(named?: NamedUser): Origin;

  /** @throws AppError PERMISSION_DENIED without any of the scopes */
  need(...scopes: readonly [Scope, ...Scope[]]): void;
}

/** What a caller is given besides its credential. */
export interface CallerSurroundings {
  /** The headers that are carried on; absent: none. */
  readonly carries?: CarriedHeaders | undefined;
  /** The proxies that tell the addresses of clients. */
  readonly trusted?: Networks | undefined;
  /** Called when a key acts for a user that the request names. May be called more than once for one request. */
  readonly acting?: ((caller: Caller, userId: string) => void) | undefined;
}

/** The caller of a server without authentication: it has every right but administration, and is whoever it says. */
export class AnonymousCaller implements Caller {
  readonly tenantId = DEFAULT_TENANT;
  readonly actor: Actor = { kind: 'none', id: ANONYMOUS_USER };
  readonly scopes = UNAUTHENTICATED_SCOPES;
  readonly roles: readonly string[] = [];
  readonly identity = undefined;
  readonly listReach = tenantReach(DEFAULT_TENANT);
  readonly authority = null;

  constructor(
    private readonly request: IncomingMessage,
    private readonly surroundings: CallerSurroundings = {},
  ) {}

  get principal(): Principal {
    return this.actingFor();
  }

  get traceparent(): string | undefined {
    return traceparentOf(this.request);
  }

  get webhook(): string | undefined {
    return webhookHeader(this.request);
  }

  get carried(): Carried | undefined {
    return this.surroundings.carries?.of(this.request.headers);
  }

  /** The header tells ids apart that several users have. */
  get reach(): Reach {
    return this.reachOf(this.headerUser());
  }

  actingFor(named?: NamedUser, unnamed = ANONYMOUS_USER): Principal {
    return { tenantId: this.tenantId, userId: named?.userId ?? unnamed };
  }

  reachOf(named?: NamedUser): Reach {
    return named === undefined ? this.listReach : userReach(this.actingFor(named));
  }

  reviewReach(named?: NamedUser): Reach {
    return this.reachOf(named);
  }

  requesterFor(): null {
    return null;
  }

  submitter(named?: NamedUser, unnamed?: string): Submitter {
    return { principal: this.actingFor(named, unnamed), reach: this.reachOf(named), requester: null };
  }

  oneUser(...names: readonly (NamedUser | undefined)[]): NamedUser | undefined {
    return names.find((named) => named !== undefined);
  }

  headerUser(): NamedUser | undefined {
    return userOfHeader(this.request);
  }

  origin(named?: NamedUser): Origin {
    const { userId } = this.actingFor(named);
    return { actor: this.actor, userId, ...placeOf(this.request, this.surroundings.trusted) };
  }

  need(...scopes: readonly [Scope, ...Scope[]]): void {
    needScope(this.scopes, scopes);
  }
}

/** How names of other users in requests of a user's own credential are taken (`ACT_AS_MISMATCH`). */
export type ActAsMismatch = 'refuse' | 'ignore';

/** A caller with a credential. What its request says about users is a claim, which needs a right. */
export class AuthenticatedCaller implements Caller {
  readonly tenantId: string;
  readonly actor: Actor;
  readonly scopes: Scopes;
  readonly roles: readonly string[];
  readonly authority: Authority;
  /** The user of the credential itself. */
  private readonly own: string;
  /** What the header `X-User-Id` names; null until it is read. */
  private header: NamedUser | undefined | null = null;

  constructor(
    readonly identity: Identity,
    private readonly request: IncomingMessage,
    private readonly mismatch: ActAsMismatch,
    private readonly surroundings: CallerSurroundings = {},
  ) {
    this.tenantId = identity.tenantId;
    this.actor = identity.actor;
    this.scopes = new Scopes(identity.scopes);
    this.roles = identity.roles;
    this.authority = {
      actor: this.actor,
      roles: this.roles,
      agents: this.scopes.patterns('agents'),
      tools: this.scopes.patterns('tools'),
      models: this.scopes.patterns('models'),
    };
    this.own = identity.userId ?? `${SERVICE_USER_PREFIX}${identity.actor.account ?? identity.actor.id}`;
  }

  get principal(): Principal {
    return this.actingFor();
  }

  get traceparent(): string | undefined {
    return traceparentOf(this.request);
  }

  get webhook(): string | undefined {
    return webhookHeader(this.request);
  }

  get carried(): Carried | undefined {
    return this.surroundings.carries?.of(this.request.headers);
  }

  get reach(): Reach {
    return this.reachOf();
  }

  get listReach(): Reach {
    return userReach(this.principal);
  }

  actingFor(named?: NamedUser): Principal {
    const claim = this.oneUser(named, this.headerUser());
    const userId = claim === undefined ? this.own : this.claimed(claim);
    return { tenantId: this.tenantId, userId };
  }

  reachOf(named?: NamedUser): Reach {
    return this.reachesAll(named) ? tenantReach(this.tenantId) : userReach(this.actingFor(named));
  }

  reviewReach(named?: NamedUser): Reach {
    if (!this.scopes.has('data:tenant')) return this.reachOf(named);
    const { tenantId } = this;
    const user = this.oneUser(named, this.headerUser());
    return user ? userReach({ tenantId, userId: user.userId }) : tenantReach(tenantId);
  }

  requesterFor(named?: NamedUser): Requester {
    return this.requesterOf(this.actingFor(named));
  }

  submitter(named?: NamedUser): Submitter {
    const principal = this.actingFor(named);
    const reach = this.reachesAll(named) ? tenantReach(this.tenantId) : userReach(principal);
    return { principal, reach, requester: this.requesterOf(principal) };
  }

  oneUser(...names: readonly (NamedUser | undefined)[]): NamedUser | undefined {
    const [first, ...others] = names.filter((named) => named !== undefined);
    const other = first && others.find(({ userId }) => userId !== first.userId);
    if (!other) return first;
    throw refused('INVALID_PARAMETER', first.field, `and ${other.field} name different users`);
  }

  headerUser(): NamedUser | undefined {
    if (this.header === null) this.header = userOfHeader(this.request);
    return this.header;
  }

  origin(named?: NamedUser): Origin {
    const { userId } = this.actingFor(named);
    return { actor: this.actor, userId, ...placeOf(this.request, this.surroundings.trusted) };
  }

  need(...scopes: readonly [Scope, ...Scope[]]): void {
    needScope(this.scopes, scopes);
  }

  /** Whether a request that names nobody reaches the data of all users. */
  private reachesAll(named: NamedUser | undefined): boolean {
    if (named !== undefined || this.identity.userId !== undefined) return false;
    return this.headerUser() === undefined && this.scopes.patterns('users').includes('*');
  }

  private requesterOf({ userId }: Principal): Requester {
    const runsPerMinute = this.identity.limits?.runs;
    return {
      ...this.authority,
      ...(runsPerMinute !== undefined && { runsPerMinute }),
      userId,
      requestId: requestIdOf(this.request) ?? '',
      canDecide: this.scopes.has('approvals:decide'),
      canWrite: this.scopes.has('runs:write'),
    };
  }

  /** The user that a request may act for although it is named in it (contract access, section 4). */
  private claimed({ userId, field }: NamedUser): string {
    if (userId === this.own) return userId;
    if (userId.startsWith(SERVICE_USER_PREFIX)) {
      throw refused('INVALID_PARAMETER', field, `must not begin with ${SERVICE_USER_PREFIX}`);
    }
    if (this.identity.userId !== undefined) {
      if (this.mismatch === 'ignore') return this.own;
      throw refused('PERMISSION_DENIED', field, 'names another user than the credential');
    }
    if (this.scopes.matches('users', userId)) {
      this.surroundings.acting?.(this, userId);
      return userId;
    }
    throw refused('PERMISSION_DENIED', field, 'names a user that the key may not act for');
  }
}

function userOfHeader(request: IncomingMessage): NamedUser | undefined {
  return namedUser('X-User-Id', userIdHeader(request));
}

function refused(code: ErrorCode, field: string, rule: string): AppError {
  const message = `${field} ${rule}`;
  return new AppError(code, message, { details: [{ path: field, message }] });
}

function needScope(held: Scopes, needed: readonly [Scope, ...Scope[]]): void {
  if (!needed.some((scope) => held.has(scope))) throw missingScope(...needed);
}

function webhookHeader({ headers }: IncomingMessage): string | undefined {
  const value = headers['x-webhook'];
  return typeof value === 'string' ? value : undefined;
}

const callers = new HiddenProperty<FastifyRequest, Caller>('caller');
/** Records who sends a request. */
export function setCaller(request: FastifyRequest, caller: Caller): void {
  callers.set(request, caller);
  nameRequest(request.raw, request.id);
}

/** Who sends a request; undefined on a public route. */
export function callerOf(request: FastifyRequest): Caller | undefined {
  return callers.get(request);
}

/** Gives a handler its caller: `@Caller() caller: Caller`. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const caller = callerOf(context.switchToHttp().getRequest<FastifyRequest>());
  if (!caller) throw new TypeError('A public route has no caller');
  return caller;
});
