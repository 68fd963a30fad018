import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { missingCredential } from '../access-errors.js';
import { callerOf } from '../identity/caller.js';
import { isOpen, needOf } from '../needs.decorator.js';

/** The second lock: whatever the hook did, no handler of a route that is not public runs without a caller. */
@Injectable()
export class AccessGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (!isOpen(needOf(request)) && !callerOf(request)) throw missingCredential();
    return true;
  }
}
