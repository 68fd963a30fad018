import { Column, Entity, PrimaryColumn } from '../typeorm.js';

/** The terminal event of a run whose other events were dropped with their partition. */
@Entity({ name: 'run_results' })
export class RunResultEntity {
  @PrimaryColumn('integer', { name: 'run_no', primaryKeyConstraintName: 'pk_run_results' })
  runRowId!: number;

  /** The number of the event in its log. */
  @Column('integer', { name: 'seq' })
  seq!: number;

  /** The event as JSON. */
  @Column('text', { name: 'body' })
  body!: string;

  /** When it was committed, in milliseconds since the epoch. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;
}
