import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from '../typeorm.js';

/** The erasure of one user's data: work that survives its process, then its receipt. Times are milliseconds since the epoch. */
@Entity({ name: 'erase_jobs' })
@Unique('uq_erase_jobs_id', ['id'])
@Index('ux_erase_jobs_user', ['tenantId', 'userId'], { unique: true, where: 'user_id IS NOT NULL' })
@Index('ix_erase_jobs_subject', ['tenantId', 'subject', 'rowId'])
@Index('ix_erase_jobs_due', ['dueAt'], { where: `status <> 'done'` })
export class EraseJobEntity {
  @PrimaryGeneratedColumn('increment', { name: 'no', type: 'integer', primaryKeyConstraintName: 'pk_erase_jobs' })
  rowId!: number;

  /** A random UUID. */
  @Column('varchar', { name: 'id', length: 36 })
  id!: string;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  /** Null once everything is removed: the receipt does not name anybody. While it is there, the user is blocked. */
  @Column('varchar', { name: 'user_id', length: 256, nullable: true })
  userId!: string | null;

  /** A keyed hash of the user, by which the receipt is found. */
  @Column('varchar', { name: 'subject', length: 64 })
  subject!: string;

  /** What stands for the user in the entries of usage; null once everything is removed. */
  @Column('varchar', { name: 'pseudonym', length: 64, nullable: true })
  pseudonym!: string | null;

  /** `erasing`, `clearing` (the rows are gone, their bytes may not be) or `done`. */
  @Column('varchar', { name: 'status', length: 16 })
  status!: string;

  /** JSON: how many rows of each kind. */
  @Column('text', { name: 'counts', default: '{}' })
  counts!: string;

  /** When it is taken next, or until when a process works on it: by the clock of the database. */
  @Column('bigint', { name: 'due_at' })
  dueAt!: number;

  /** Grows with every turn; a process that has lost its turn changes nothing. */
  @Column('integer', { name: 'fence', default: 0 })
  fence!: number;

  @Column('bigint', { name: 'requested_at' })
  requestedAt!: number;

  @Column('bigint', { name: 'finished_at', nullable: true })
  finishedAt!: number | null;
}
