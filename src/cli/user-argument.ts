import type { INestApplicationContext } from '@nestjs/common';
import { Tenants, isUserId } from '../access/index.js';
import type { Principal } from '../common/index.js';
import { type Arguments, textOf, UsageError } from './command.js';

const DEFAULT = 'default';

/**
 * The user that a command is about: the argument USER, of the tenant of `--tenant`.
 *
 * @throws AppError TENANT_NOT_FOUND; UsageError for what cannot be the id of a user
 */
export async function userOf(app: INestApplicationContext, args: Arguments): Promise<Principal> {
  const [userId = ''] = args.positionals;
  if (!isUserId(userId)) throw new UsageError('USER must have 1 to 256 characters, none of them a control character');
  const { id: tenantId } = await app.get(Tenants).find(textOf(args, 'tenant') ?? DEFAULT);
  return { tenantId, userId };
}
