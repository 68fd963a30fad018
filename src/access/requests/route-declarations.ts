import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, RouteOptions } from 'fastify';
import { hidePerson, StartupError } from '../../common/index.js';
import { type AccessRoute, type Need, personParameter } from '../needs.decorator.js';

/** The routes of each server, in the order of their registration. */
const routes = new WeakMap<FastifyInstance, RouteOptions[]>();

/**
 * Collects the routes of a server from now on, and hides the persons whom they name. The server does not become ready while
 * one of them does not declare what it needs: this covers routes that plugins register after the modules were initialized.
 */
export function collectRoutes(server: FastifyInstance): void {
  const collected: RouteOptions[] = [];
  routes.set(server, collected);
  server.addHook('onRoute', (route) => {
    collected.push(route);
    const person = personParameter(route);
    if (person !== undefined) hidePerson(route.url, person);
  });
  server.addHook('onReady', (done) => {
    done(undeclared(collected));
  });
}

/** The routes of a server, in the order of their registration; empty without `collectRoutes`. */
export function routesOf(server: FastifyInstance): readonly RouteOptions[] {
  return routes.get(server) ?? [];
}

/** What a route needs of its caller; undefined when it declares nothing. */
export function needOfRoute({ config }: RouteOptions): Need | undefined {
  return (config as AccessRoute | undefined)?.access;
}

/** Declares what the routes of a library need, which cannot be decorated. To be called by what registers them. */
export function declareRoute(route: RouteOptions, access: Need): void {
  route.config = Object.assign({ ...route.config }, { access } satisfies AccessRoute);
}

/** Stops the start before any module does its work if a route does not declare what it needs. */
@Injectable()
export class RouteDeclarations implements OnModuleInit {
  constructor(private readonly host: HttpAdapterHost) {}

  /** @throws StartupError with a list of the routes, and what to write */
  onModuleInit(): void {
    // An application context serves nothing: it has no adapter.
    const { httpAdapter } = this.host as Partial<HttpAdapterHost>;
    const error = httpAdapter && undeclared(routesOf(httpAdapter.getInstance<FastifyInstance>()));
    if (error) throw error;
  }
}

function undeclared(all: readonly RouteOptions[]): StartupError | undefined {
  const missing = all.filter((route) => needOfRoute(route) === undefined);
  if (missing.length === 0) return undefined;
  const names = new Set(missing.map(({ method, url }) => `  ${[method].flat().join(', ')} ${url}`));
  return new StartupError(
    [
      'Parley cannot start, because these routes do not declare what they need of their caller:',
      ...names,
      "Decorate the handler or its controller with @Needs('runs:read'), @Needs('runs:write') or another scope, with @NeedsCaller() if any credential is enough, or with @Public(). A route that is registered with Fastify declares it in its options: config: { access: ['runs:read'] }.",
    ].join('\n'),
  );
}
