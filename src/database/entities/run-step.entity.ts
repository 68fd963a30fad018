import { Column, Entity, PrimaryColumn } from '../typeorm.js';

/** One step of a run's journal: a model call or a tool call that was begun or finished. */
@Entity({ name: 'run_steps' })
export class RunStepEntity {
  @PrimaryColumn('integer', { name: 'run_no', primaryKeyConstraintName: 'pk_run_steps' })
  runRowId!: number;

  @PrimaryColumn('varchar', { name: 'step_key', length: 256, primaryKeyConstraintName: 'pk_run_steps' })
  stepKey!: string;

  /** `begun` or `finished`. */
  @Column('varchar', { name: 'status', length: 16 })
  status!: string;

  @Column('varchar', { name: 'input_hash', length: 64 })
  inputHash!: string;

  /** JSON; null until finished. */
  @Column('text', { name: 'output', nullable: true })
  output!: string | null;

  /** JSON array of the ids of the messages this step wrote. */
  @Column('text', { name: 'message_ids', default: '[]' })
  messageIds!: string;

  /** When it was begun, in milliseconds since the epoch; null in journals of earlier versions. */
  @Column('bigint', { name: 'started_at', nullable: true })
  startedAt!: number | null;

  /** Milliseconds since the epoch. */
  @Column('bigint', { name: 'updated_at' })
  updatedAt!: number;
}
