import { Column, Entity, PrimaryColumn } from '../typeorm.js';

/** A process that executes runs. Its row is renewed as a heartbeat; times are milliseconds of the database's clock. */
@Entity({ name: 'workers' })
export class WorkerEntity {
  /** A UUID of this registration: the owner in the leases of its runs. */
  @PrimaryColumn('varchar', { name: 'id', length: 36, primaryKeyConstraintName: 'pk_workers' })
  id!: string;

  /** NODE_NAME, for people: not unique. */
  @Column('varchar', { name: 'name', length: 128 })
  name!: string;

  /** The version of the server. */
  @Column('varchar', { name: 'version', length: 64 })
  version!: string;

  /** The newest migration of the core schema that the server knows. */
  @Column('varchar', { name: 'schema_version', length: 64 })
  schemaVersion!: string;

  /** When the worker counts as lost unless it is heard of before. */
  @Column('bigint', { name: 'lease_until' })
  leaseUntil!: number;

  /** How many runs it executes at most. */
  @Column('integer', { name: 'slots' })
  slots!: number;

  /** How many runs it executes. */
  @Column('integer', { name: 'busy', default: 0 })
  busy!: number;

  /** 1 while it shuts down. */
  @Column('integer', { name: 'draining', default: 0 })
  draining!: number;

  /** JSON: what instances must have in common, by name, without secrets. */
  @Column('text', { name: 'fingerprints' })
  fingerprints!: string;

  /** The machine since its last start, and the process namespace on it; null if unknown. */
  @Column('varchar', { name: 'host_id', length: 128, nullable: true })
  hostId!: string | null;

  /** The process id within `hostId`. */
  @Column('integer', { name: 'pid' })
  pid!: number;

  /** When the process started, as its host counts: tells it from a later process with the same id. */
  @Column('varchar', { name: 'process_start', length: 64, nullable: true })
  processStart!: string | null;

  /** When the row was inserted. */
  @Column('bigint', { name: 'started_at' })
  startedAt!: number;

  /** What the process does: `all`, `web` or `worker`. */
  @Column('varchar', { name: 'role', length: 16, default: 'all' })
  role!: string;
}
