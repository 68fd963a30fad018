import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { callerOf, checkedUserId, namedUser, type NamedUser } from '../../access/index.js';

/**
 * The user that the header `x-user-id` or the query parameter `user_id` of a request names.
 *
 * @throws AppError INVALID_PARAMETER for a name that cannot be stored, or two different ones
 */
export function addressedUser(request: FastifyRequest): NamedUser | undefined {
  const { user_id: queried } = request.query as { readonly user_id?: unknown };
  const caller = callerOf(request);
  return caller?.oneUser(caller.headerUser(), namedUser('user_id', checkedUserId(queried, 'user_id')));
}

/** Gives a handler its `addressedUser`. */
export const AddressedUser = createParamDecorator((_: unknown, context: ExecutionContext) =>
  addressedUser(context.switchToHttp().getRequest<FastifyRequest>()),
);
