import { applyDecorators, Controller, type Type, UseInterceptors } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { addRouteConfig } from '../../access/index.js';
import type { Wire } from './wire.js';
import { WireInterceptor } from './wire.interceptor.js';

/** What `WireController` adds to the configuration of a route. */
interface WireRoute {
  readonly wire?: Type<Wire>;
}

/** A controller whose routes are a wire's: `WireInterceptor` decodes their requests and answers their errors. */
export function WireController(wire: Type<Wire>, path: string | string[] = ''): ClassDecorator {
  return applyDecorators(Controller(path), UseInterceptors(WireInterceptor), (target: object) =>
    addRouteConfig(target as Type, { wire } satisfies WireRoute),
  );
}

/** The wire of the route that a request matches; undefined when it matches none, or none that is a wire's. */
export function wireOfRoute(request: FastifyRequest): Type<Wire> | undefined {
  return (request.routeOptions.config as WireRoute | undefined)?.wire;
}
