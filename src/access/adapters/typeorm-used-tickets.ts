import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/index.js';
import { Database } from '../../database/index.js';
import { UsedTickets } from '../ports/used-tickets.js';

const INSERT = 'INSERT INTO used_tickets (id, tenant_id, expires_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING';
const REMOVE_EXPIRED = 'DELETE FROM used_tickets WHERE expires_at < ?';
/** How often expired rows are removed, and how much longer they are kept because clocks differ. */
const CLEAN_INTERVAL_MS = 60_000;

/** Used tickets in the server's database. Expired rows are removed while others are added. */
@Injectable()
export class TypeOrmUsedTickets extends UsedTickets {
  private cleanedAt = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  use({ id, tenantId, expiresAt }: Parameters<UsedTickets['use']>[0]): Promise<boolean> {
    const now = this.clock.now();
    const cleans = now - this.cleanedAt >= CLEAN_INTERVAL_MS;
    if (cleans) this.cleanedAt = now;
    return this.database.write(async (tx) => {
      if (cleans) await tx.run(REMOVE_EXPIRED, [now - CLEAN_INTERVAL_MS]);
      return (await tx.run(INSERT, [id, tenantId, expiresAt])) === 1;
    });
  }
}
