import { Column, Entity, PrimaryGeneratedColumn, Unique } from '../typeorm.js';

/** Where somebody is called back about a chain of runs. Times are milliseconds since the epoch. */
@Entity({ name: 'run_hooks' })
@Unique('uq_run_hooks', ['tenantId', 'rootRunId', 'userId', 'channel', 'id'])
export class RunHookEntity {
  @PrimaryGeneratedColumn('increment', { name: 'no', type: 'integer', primaryKeyConstraintName: 'pk_run_hooks' })
  rowId!: number;

  /** The name of the `OutboxChannel` that makes its requests. */
  @Column('varchar', { name: 'channel', length: 32 })
  channel!: string;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  @Column('varchar', { name: 'user_id', length: 256 })
  userId!: string;

  /** The first run of the chain. */
  @Column('varchar', { name: 'root_run_id', length: 128 })
  rootRunId!: string;

  /** Unique for the chain. */
  @Column('varchar', { name: 'id', length: 256 })
  id!: string;

  /** How the channel writes its requests. */
  @Column('varchar', { name: 'format', length: 16 })
  format!: string;

  @Column('varchar', { name: 'url', length: 2048 })
  url!: string;

  /** JSON with secrets, sealed. */
  @Column('text', { name: 'secrets' })
  secrets!: string;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;
}
