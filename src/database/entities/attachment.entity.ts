import { Column, Entity, Index, PrimaryColumn } from '../typeorm.js';

/** An uploaded file. Its bytes are in the object store. */
@Entity({ name: 'attachments' })
@Index('ix_attachments_delete_after', ['deleteAfter'])
@Index('ix_attachments_user', ['tenantId', 'userId', 'createdAt', 'id'])
@Index('ix_attachments_tenant', ['tenantId', 'createdAt', 'id'])
export class AttachmentEntity {
  /** UUID */
  @PrimaryColumn('varchar', { name: 'id', length: 36, primaryKeyConstraintName: 'pk_attachments' })
  id!: string;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  @Column('varchar', { name: 'user_id', length: 256 })
  userId!: string;

  /** In the object store. */
  @Column('varchar', { name: 'path', length: 512 })
  path!: string;

  @Column('varchar', { name: 'mime_type', length: 64 })
  mimeType!: string;

  @Column('varchar', { name: 'filename', length: 255 })
  filename!: string;

  /** Bytes. */
  @Column('integer', { name: 'size' })
  size!: number;

  @Column('varchar', { name: 'sha256', length: 64 })
  sha256!: string;

  @Column('integer', { name: 'width' })
  width!: number;

  @Column('integer', { name: 'height' })
  height!: number;

  /** Milliseconds since the epoch. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** When it may be deleted, in milliseconds since the epoch; null while a session is bound to it. */
  @Column('bigint', { name: 'delete_after', nullable: true })
  deleteAfter!: number | null;
}
