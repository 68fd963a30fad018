import { Injectable, Logger } from '@nestjs/common';
import { Chores } from '../../chores/index.js';
import { Clock } from '../../common/index.js';
import { AttachmentSettings } from './attachment.settings.js';
import { AttachmentStore } from './ports/attachment-store.js';
import { ObjectStore } from './ports/object-store.js';

/** How long an expired attachment is kept, in milliseconds: a run that is being accepted may bind it. */
const GRACE_MS = 60_000;
const BATCH = 100;

/** Removes uploads that no message refers to, and those of removed sessions: the chore `uploads`. */
@Injectable()
export class AttachmentExpiry {
  private readonly logger = new Logger(AttachmentExpiry.name);

  constructor(
    private readonly store: AttachmentStore,
    private readonly objects: ObjectStore,
    settings: AttachmentSettings,
    private readonly clock: Clock,
    chores: Chores,
  ) {
    chores.register({
      name: 'uploads',
      everyMs: settings.sweepIntervalMs,
      work: (signal) => this.removeExpired(signal),
    });
  }

  /**
   * Removes the expired attachments, until the signal aborts, and returns their number.
   *
   * @throws the error of the database or of the object store
   */
  async removeExpired(signal?: AbortSignal): Promise<number> {
    let removed = 0;
    for (let full = true; full && !signal?.aborted;) {
      const due = await this.store.expired(this.clock.now() - GRACE_MS, BATCH);
      for (const { id, path } of due) {
        await this.objects.remove(path);
        await this.store.remove(id);
      }
      removed += due.length;
      full = due.length === BATCH;
    }
    if (removed > 0) this.logger.log(`Deleted ${removed} attachments`);
    return removed;
  }
}
