import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { type Caller, callerOf, checkedUserId, namedUser, type NamedUser } from '../../access/index.js';
import { isPlainObject } from '../../common/index.js';
import { FieldReader } from '../http/bodies/field-reader.js';

/** The names under which this wire has the user, in bodies of all dialects and in queries (contract access, section 4). */
export const USER_FIELDS = ['user_id', 'userId'] as const;

const NAME_LENGTH = { min: 1, max: 256 };

/**
 * The user that a request names: in the header `x-user-id`, the query or the body.
 *
 * @throws AppError INVALID_PARAMETER for a name that cannot be stored, or two different ones; PARAMETER_VALIDATION
 *   for one in the body that is not a text
 */
export function addressedUser(
  caller: Pick<Caller, 'oneUser' | 'headerUser'>,
  query: unknown,
  body: unknown,
): NamedUser | undefined {
  return caller.oneUser(caller.headerUser(), ...queried(query), ...namedInBody(body));
}

function queried(query: unknown): (NamedUser | undefined)[] {
  const values = query as Readonly<Record<string, unknown>>;
  return USER_FIELDS.map((field) => namedUser(field, checkedUserId(values[field], field)));
}

/** The users that a body names. @throws as `addressedUser` */
export function namedInBody(body: unknown): (NamedUser | undefined)[] {
  if (!isPlainObject(body)) return [];
  const fields = new FieldReader(body, '');
  return USER_FIELDS.map((field) => namedUser(field, checkedUserId(fields.string(field, NAME_LENGTH), field)));
}

/** Gives a handler its `addressedUser`. */
export const AddressedUser = createParamDecorator((_: unknown, context: ExecutionContext) => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const caller = callerOf(request);
  return caller && addressedUser(caller, request.query, request.body);
});
