import { Controller, type Type } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { addRouteConfig } from '../../access/index.js';
import type { Wire } from './wire.js';

/** What `WireController` adds to the configuration of a route. */
interface WireRoute {
  readonly wire?: Type<Wire>;
}

/** A controller whose routes are a wire's: their errors have that wire's body. */
export function WireController(wire: Type<Wire>, path: string | string[] = ''): ClassDecorator {
  return (target) => {
    Controller(path)(target);
    addRouteConfig(target, { wire } satisfies WireRoute);
  };
}

/** The wire of the route that a request matches; undefined when it matches none, or none that is a wire's. */
export function wireOfRoute(request: FastifyRequest): Type<Wire> | undefined {
  return (request.routeOptions.config as WireRoute | undefined)?.wire;
}
