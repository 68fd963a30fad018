import { Column, Entity, Index, PrimaryColumn } from '../typeorm.js';

/** A message of a session, of a request or of an answer. Read in the order of (runOrdinal, seq). */
@Entity({ name: 'messages' })
@Index('ix_messages_session_run', ['sessionRowId', 'runOrdinal', 'seq'])
// Finds a message in its session, and those of all sessions that have an id.
@Index('ix_messages_id', ['id', 'sessionRowId'])
@Index('ix_messages_state_key', ['stateKey'], { where: 'state_key IS NOT NULL' })
export class MessageEntity {
  @PrimaryColumn('integer', { name: 'session_no', primaryKeyConstraintName: 'pk_messages' })
  sessionRowId!: number;

  /** Unique in the session; grows with every message, may have gaps. */
  @PrimaryColumn('integer', { name: 'seq', primaryKeyConstraintName: 'pk_messages' })
  seq!: number;

  /** The id that clients see. */
  @Column('varchar', { name: 'id', length: 256 })
  id!: string;

  /** The run it belongs to; 0 for one that was added outside a run. */
  @Column('integer', { name: 'run_no' })
  runRowId!: number;

  /** The ordinal of that run in its session. */
  @Column('integer', { name: 'run_ordinal' })
  runOrdinal!: number;

  @Column('varchar', { name: 'role', length: 16, nullable: true })
  role!: string | null;

  @Column('varchar', { name: 'type', length: 32 })
  type!: string;

  /** JSON of a `Message`. */
  @Column('text', { name: 'body' })
  body!: string;

  /** Milliseconds since the epoch. */
  @Column('bigint', { name: 'created_at' })
  createdAt!: number;

  /** `input` of a request, `output` of an agent, or `state`: kept for its state alone, for a transient run. */
  @Column('varchar', { name: 'origin', length: 8, default: 'input' })
  origin!: string;

  /** 1: not part of the conversation, because its run is transient or was rolled back. */
  @Column('integer', { name: 'hidden', default: 0 })
  hidden!: number;

  /** What the model's provider wants back with the message, as JSON: for model clients only. */
  @Column('text', { name: 'provider_state', nullable: true })
  providerState!: string | null;

  /** Finds the state of a message that a client sends back without its id. */
  @Column('varchar', { name: 'state_key', length: 64, nullable: true })
  stateKey!: string | null;
}
