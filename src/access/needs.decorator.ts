import type { FastifyRequest } from 'fastify';
import { addRouteConfig, RouteSetting } from './route-config.js';
import type { Scope } from './identity/scopes.js';

/**
 * What a route needs of its caller: nothing (`public`), nothing, but a credential counts if there is one
 * (`optional`), any credential (`caller`), or a credential with one of some scopes.
 */
export type Need = 'public' | 'optional' | 'caller' | readonly [Scope, ...Scope[]];

/** What the decorators leave in the configuration of a route; a route of Fastify itself declares it in `config`. */
export interface AccessRoute {
  readonly access?: Need;
  readonly refusesForeignPages?: boolean;
  /** The parameter of the path that is the id of a person. */
  readonly person?: string;
}

/** A decorator of a handler, or of a controller for those of its handlers that declare nothing themselves. */
type RouteDecorator = MethodDecorator & ClassDecorator;

function declare(access: Need): RouteDecorator {
  const config = { access } satisfies AccessRoute;
  const decorate = (target: object, name?: string | symbol, descriptor?: TypedPropertyDescriptor<unknown>): void => {
    if (name !== undefined && descriptor) RouteSetting(config)(target, name, descriptor);
    else addRouteConfig(target as { readonly prototype: object }, config, { keepExisting: true });
  };
  return decorate as RouteDecorator;
}

/**
 * Declares the scope that a route needs, or that all routes of a controller need; of several scopes, one is enough.
 * A route without a declaration keeps the server from starting (contract access, section 3.8).
 */
export function Needs(...scopes: readonly [Scope, ...Scope[]]): RouteDecorator {
  return declare(scopes);
}

/** Declares that a route needs a credential, whatever its scopes. */
export function NeedsCaller(): RouteDecorator {
  return declare('caller');
}

/** Declares that a route is open to everyone: no credential is looked at. */
export function Public(): RouteDecorator {
  return declare('public');
}

/** Declares that a route is open to everyone. A credential is looked at; one that is not valid counts as none. */
export function OptionalCaller(): RouteDecorator {
  return declare('optional');
}

/**
 * Declares that pages of other origins may not use the routes of a controller, whatever the method, and that
 * `CORS_ORIGINS=*` does not mean them. To be put above the other decorators.
 */
export function RefusesForeignPages(): ClassDecorator {
  return (target) =>
    addRouteConfig(target, {
      refusesForeignPages: true,
    } satisfies AccessRoute);
}

/**
 * States that the routes of a controller name a person in their paths: logs and traces then hide the id (contract access,
 * section 9). Routes without the parameter are left as they are. To be put above the other decorators.
 *
 * @param parameter the parameter of the path that is the id of a user
 */
export function NamesPerson(parameter: string): ClassDecorator {
  return (target) => addRouteConfig(target, { person: parameter } satisfies AccessRoute);
}

/** The parameter of a route that is the id of a person; undefined without one. */
export function personParameter({
  url,
  config,
}: {
  readonly url: string;
  readonly config?: object;
}): string | undefined {
  const { person } = (config ?? {}) as AccessRoute;
  return person !== undefined && url.split('/').includes(`:${person}`) ? person : undefined;
}

/** Whether the route of a request refuses what pages of other origins send. */
export function refusesForeignPages(request: FastifyRequest): boolean {
  return (request.routeOptions.config as AccessRoute | undefined)?.refusesForeignPages === true;
}

/** What the route of a request needs; undefined when it declares nothing. */
export function needOf(request: FastifyRequest): Need | undefined {
  return (request.routeOptions.config as AccessRoute | undefined)?.access;
}

/** Whether a route answers requests without a caller. */
export function isOpen(need: Need | undefined): need is 'public' | 'optional' {
  return need === 'public' || need === 'optional';
}
