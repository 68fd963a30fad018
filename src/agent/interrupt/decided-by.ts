import { isUser } from '../../common/index.js';
import type { DecidedBy } from './interrupt.types.js';

/** A pattern of LIKE, escaped by a backslash, for JSON text that may name a user. */
export function likeNamed(userId: string): string {
  return `%${JSON.stringify(userId).replaceAll(/[%_\\]/g, String.raw`\$&`)}%`;
}

/** Whether it was a user, or somebody who acted for it, who has decided. */
export function hasDecided(decided: DecidedBy | undefined, userId: string): boolean {
  return decided !== undefined && (decided.userId === userId || isUser(decided.actor, userId));
}
