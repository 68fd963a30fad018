import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { checkedUserId, userIdHeader } from '../http/index.js';

/**
 * Gives a handler the user that the header `x-user-id` or the query parameter `user_id` names.
 *
 * @throws AppError INVALID_PARAMETER for a name that cannot be stored
 */
export const UserId = createParamDecorator((_: unknown, context: ExecutionContext): string | undefined => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const { user_id: queried } = request.query as { readonly user_id?: unknown };
  return userIdHeader(request) ?? checkedUserId(queried, 'user_id');
});
