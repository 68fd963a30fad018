import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { AppError } from '../../common/index.js';
import type { Caller } from '../identity/caller.js';
import { isOpen, type Need } from '../needs.decorator.js';
import { RouteSetting } from '../route-config.js';
import { needOfRoute, routesOf } from '../requests/route-declarations.js';

/** What the decorator leaves in the configuration of a route. */
interface TicketRoute {
  readonly acceptsTicket?: true;
}

/** Declares that a GET route opens an event stream, for which a ticket is accepted in the query. */
export function AcceptsTicket(): MethodDecorator {
  return RouteSetting({ acceptsTicket: true } satisfies TicketRoute);
}

/** Whether the route of a request accepts tickets. */
export function acceptsTicket({ method, routeOptions }: FastifyRequest): boolean {
  return method === 'GET' && (routeOptions.config as TicketRoute | undefined)?.acceptsTicket === true;
}

/** The paths that tickets may be issued for. */
@Injectable()
export class TicketRoutes {
  private readonly sockets = new Map<string, Need>();

  constructor(private readonly host: HttpAdapterHost) {}

  /** Adds the path of a WebSocket, which is not a route. */
  addSocket(path: string, need: Need): void {
    this.sockets.set(path, need);
  }

  /**
   * Checks that a caller may open a path.
   *
   * @throws AppError INVALID_PARAMETER for a path that accepts no tickets, PERMISSION_DENIED without its scope
   */
  check(caller: Caller, path: string): void {
    const route = this.routeOf(path);
    const need = this.sockets.get(path) ?? (route && (needOfRoute(route) ?? 'caller'));
    if (need === undefined) {
      const message = 'path must be that of an event stream or of the WebSocket';
      throw new AppError('INVALID_PARAMETER', message, { details: [{ path: 'path', message }] });
    }
    if (!isOpen(need) && need !== 'caller') caller.need(...need);
  }

  private routeOf(path: string): RouteOptions | undefined {
    const segments = path.split('/');
    return routesOf(this.host.httpAdapter.getInstance<FastifyInstance>()).find(
      ({ method, url, config }) =>
        [method].flat().includes('GET') &&
        (config as TicketRoute | undefined)?.acceptsTicket === true &&
        isMatch(url.split('/'), segments),
    );
  }
}

/** `:name` stands for any segment. */
function isMatch(pattern: readonly string[], segments: readonly string[]): boolean {
  if (pattern.length !== segments.length) return false;
  return pattern.every((part, index) => (part.startsWith(':') ? segments[index] !== '' : part === segments[index]));
}
