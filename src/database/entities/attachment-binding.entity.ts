import { Entity, Index, PrimaryColumn } from '../typeorm.js';

/** A session whose messages refer to an attachment. */
@Entity({ name: 'attachment_bindings' })
@Index('ix_attachment_bindings_attachment', ['attachmentId'])
export class AttachmentBindingEntity {
  @PrimaryColumn('integer', { name: 'session_no', primaryKeyConstraintName: 'pk_attachment_bindings' })
  sessionRowId!: number;

  @PrimaryColumn('varchar', {
    name: 'attachment_id',
    length: 36,
    primaryKeyConstraintName: 'pk_attachment_bindings',
  })
  attachmentId!: string;
}
