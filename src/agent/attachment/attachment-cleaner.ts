import { Injectable } from '@nestjs/common';
import { type Erasure, type UserCleaner, UserCleaners } from '../../data-protection/index.js';
import { AttachmentStore } from './ports/attachment-store.js';
import { ObjectStore } from './ports/object-store.js';

const BATCH = 100;

/** Removes the attachments of a user, also those that messages of others refer to. */
@Injectable()
export class AttachmentCleaner implements UserCleaner {
  constructor(
    private readonly store: AttachmentStore,
    private readonly objects: ObjectStore,
    users: UserCleaners,
  ) {
    users.register(this);
  }

  /** @throws the error of the database or of the object store */
  async cleanUser({ user, signal, write }: Erasure): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const some = await this.store.ofUser(user, BATCH);
      if (some.length === 0) return;
      for (const { path } of some) await this.objects.remove(path);
      await write(async (tx) => {
        const { attachments, bindings } = await this.store.removeAll(
          tx,
          some.map(({ id }) => id),
        );
        return { attachments, attachmentBindings: bindings };
      });
    }
  }
}
