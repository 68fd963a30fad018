import { Column, Entity, PrimaryColumn } from '../typeorm.js';

/**
 * The events of one run that one commit wrote: JSON texts, one per line. One row per commit instead of one per
 * event makes the log several times cheaper (docs/performance.md). On PostgreSQL the rows of a run that has ended become
 * fewer, longer ones.
 */
@Entity({ name: 'run_event_chunks' })
export class RunEventChunkEntity {
  @PrimaryColumn('integer', { name: 'run_no', primaryKeyConstraintName: 'pk_run_event_chunks' })
  runRowId!: number;

  /** The number of the first event; the next chunk begins at `firstSeq + count`. */
  @PrimaryColumn('integer', { name: 'first_seq', primaryKeyConstraintName: 'pk_run_event_chunks' })
  firstSeq!: number;

  @Column('integer', { name: 'event_count' })
  eventCount!: number;

  @Column('text', { name: 'body' })
  body!: string;

  /** When the first event was committed, in milliseconds since the epoch. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** When the events of several commits were committed, as `count:time` separated by commas; null for one commit. */
  @Column('text', { name: 'times', nullable: true })
  times!: string | null;
}
