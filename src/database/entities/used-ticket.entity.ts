import { Column, Entity, Index, PrimaryColumn } from '../typeorm.js';

/** A ticket that opened a WebSocket, kept until it would have expired, so that it opens no other. */
@Entity({ name: 'used_tickets' })
@Index('ix_used_tickets_expires', ['expiresAt'])
export class UsedTicketEntity {
  /** A random UUID. */
  @PrimaryColumn('varchar', { name: 'id', length: 36, primaryKeyConstraintName: 'pk_used_tickets' })
  id!: string;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  /** Milliseconds since the epoch. */
  @Column('bigint', { name: 'expires_at' })
  expiresAt!: number;
}
