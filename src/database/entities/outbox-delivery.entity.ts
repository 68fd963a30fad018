import { Column, Entity, Index, PrimaryGeneratedColumn, Unique } from '../typeorm.js';

/** A request that the server makes because of a run: written in the transaction of its cause. Times are milliseconds since the epoch. */
@Entity({ name: 'outbox' })
@Unique('uq_outbox_cause', ['hookRowId', 'runRowId', 'seq'])
@Index('ix_outbox_due', ['dueAt', 'rowId'], { where: `status = 'waiting'` })
@Index('ix_outbox_ended', ['endedAt'], { where: 'ended_at IS NOT NULL' })
export class OutboxDeliveryEntity {
  @PrimaryGeneratedColumn('increment', { name: 'no', type: 'integer', primaryKeyConstraintName: 'pk_outbox' })
  rowId!: number;

  /** The `RunHookEntity` that it is for. */
  @Column('integer', { name: 'hook_no' })
  hookRowId!: number;

  @Column('integer', { name: 'run_no' })
  runRowId!: number;

  @Column('varchar', { name: 'run_id', length: 128 })
  runId!: string;

  /** The number of the event of the run that it tells about; -1: what the run waits for was given up. */
  @Column('integer', { name: 'seq' })
  seq!: number;

  /** `waiting`, `sent` or `failed`. */
  @Column('varchar', { name: 'status', length: 16, default: 'waiting' })
  status!: string;

  @Column('integer', { name: 'attempts', default: 0 })
  attempts!: number;

  /** When it is tried next, or until when a process tries it. */
  @Column('bigint', { name: 'due_at' })
  dueAt!: number;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  @Column('bigint', { name: 'ended_at', nullable: true })
  endedAt!: number | null;

  /** What the last attempt met: a status, or a sentence. */
  @Column('varchar', { name: 'outcome', length: 200, nullable: true })
  outcome!: string | null;
}
