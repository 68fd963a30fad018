import { Injectable } from '@nestjs/common';
import type { Erasure, UserCleaner } from '../../data-protection/index.js';
import { AccessCache } from '../cache/access-cache.js';
import { ApiKeyStore } from '../ports/api-key-store.js';

/** Removes the keys that always act for a user. Other processes accept them for 5 s more. */
@Injectable()
export class KeyCleaner implements UserCleaner {
  constructor(
    private readonly keys: ApiKeyStore,
    private readonly cache: AccessCache,
  ) {}

  async cleanUser({ user, pseudonym, write }: Erasure): Promise<void> {
    const removed = await write(async (tx) => {
      const { removed, renamed } = await this.keys.eraseUser(tx, user, pseudonym);
      return { keys: removed, keysOfOthersKept: renamed };
    });
    if (removed > 0) this.cache.clear();
  }
}
