import { Column, Entity, Index, PrimaryColumn } from '../typeorm.js';

/** A run in the list that its wire keeps, with what the client chose to find it by. */
@Entity({ name: 'run_metadata' })
@Index('ix_run_metadata_owner', ['tenantId', 'userId', 'wire', 'runRowId'])
@Index('ix_run_metadata_tenant', ['tenantId', 'wire', 'runRowId'])
export class RunMetadataEntity {
  @PrimaryColumn('integer', { name: 'run_no', primaryKeyConstraintName: 'pk_run_metadata' })
  runRowId!: number;

  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  /** The user that the run belongs to. */
  @Column('varchar', { name: 'user_id', length: 256 })
  userId!: string;

  /** The wire whose list it is. */
  @Column('varchar', { name: 'wire', length: 32 })
  wire!: string;

  /** The id of the run. */
  @Column('varchar', { name: 'run_id', length: 128 })
  runId!: string;

  /** The model as the request names it. */
  @Column('varchar', { name: 'model', length: 256 })
  model!: string;

  /** A JSON object of strings, with each member on a line of its own: see `memberLine`. */
  @Column('text', { name: 'metadata' })
  metadata!: string;
}
