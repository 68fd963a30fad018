import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { Clock } from '../../common/index.js';
import { RequestDatabase, UsedTicketEntity } from '../../database/index.js';
import { UsedTickets } from '../ports/used-tickets.js';

/** TypeORM's insert does not tell whether it did anything on conflict. */
const INSERT = 'INSERT INTO used_tickets (id, tenant_id, expires_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING';
/** How often expired rows are removed, and how much longer they are kept because clocks differ. */
const CLEAN_INTERVAL_MS = 60_000;

/** Used tickets in the server's database. Expired rows are removed while others are added. */
@Injectable()
export class TypeOrmUsedTickets extends UsedTickets {
  private cleanedAt = 0;

  constructor(
    private readonly database: RequestDatabase,
    private readonly clock: Clock,
  ) {
    super();
  }

  use({ id, tenantId, expiresAt }: Parameters<UsedTickets['use']>[0]): Promise<boolean> {
    const now = this.clock.now();
    const cleans = now - this.cleanedAt >= CLEAN_INTERVAL_MS;
    if (cleans) this.cleanedAt = now;
    return this.database.write(async (tx) => {
      if (cleans) await tx.manager.delete(UsedTicketEntity, { expiresAt: LessThan(now - CLEAN_INTERVAL_MS) });
      return (await tx.run(INSERT, [id, tenantId, expiresAt])) === 1;
    });
  }

  async isUsed(id: string): Promise<boolean> {
    return this.database.read.manager.existsBy(UsedTicketEntity, { id });
  }
}
