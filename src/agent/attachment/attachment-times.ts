import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/index.js';
import { Retention } from '../../retention/index.js';

/** What time it is for attachments, and until when they are kept. Times are milliseconds since the epoch. */
@Injectable()
export class AttachmentTimes {
  constructor(
    private readonly clock: Clock,
    private readonly retention: Retention,
  ) {}

  now(): number {
    return this.clock.now();
  }

  /**
   * Until when a tenant keeps an upload of this moment to which no message refers; null for ever.
   *
   * @throws the driver's error
   */
  async unboundUntil(tenantId: string, now: number): Promise<number | null> {
    const ms = await this.retention.of('uploads', tenantId);
    return ms === null ? null : now + ms;
  }
}
