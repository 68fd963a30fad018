import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../common/index.js';
import { AttachmentSettings } from './attachment.settings.js';
import { AttachmentStore } from './ports/attachment-store.js';
import { ObjectStore } from './ports/object-store.js';

/** How long an expired attachment is kept, in milliseconds: a run that is being accepted may bind it. */
const GRACE_MS = 60_000;
const BATCH = 100;

/** Deletes uploads that no message refers to, and those of removed sessions. */
@Injectable()
export class AttachmentSweeper implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(AttachmentSweeper.name);
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<number> | undefined;

  constructor(
    private readonly store: AttachmentStore,
    private readonly objects: ObjectStore,
    private readonly settings: AttachmentSettings,
    private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), this.settings.sweepIntervalMs);
    this.timer.unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.sweeping;
  }

  /** Deletes the expired attachments and returns their number. Never throws: failures are retried by the next sweep. */
  sweep(): Promise<number> {
    this.sweeping ??= this.pass().finally(() => (this.sweeping = undefined));
    return this.sweeping;
  }

  private async pass(): Promise<number> {
    let removed = 0;
    try {
      for (;;) {
        const due = await this.store.expired(this.clock.now() - GRACE_MS, BATCH);
        for (const { id, path } of due) {
          await this.objects.remove(path);
          await this.store.remove(id);
          removed += 1;
        }
        if (due.length < BATCH) break;
      }
    } catch (error) {
      this.logger.warn(`Attachments could not be deleted: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (removed > 0) this.logger.log(`Deleted ${removed} attachments`);
    return removed;
  }
}
