import { Column, Entity, PrimaryGeneratedColumn, Unique } from '../typeorm.js';

/**
 * One version of a price of models. Versions are added and never changed. Prices of tokens and calls are in billionths of
 * the currency's unit, times in milliseconds since the epoch.
 */
@Entity({ name: 'prices' })
@Unique('uq_prices_version', ['tenantId', 'model', 'provider', 'validFrom'])
export class PriceEntity {
  @PrimaryGeneratedColumn('increment', { name: 'no', type: 'integer', primaryKeyConstraintName: 'pk_prices' })
  rowId!: number;

  /** `*`: of the installation, for tenants without a price of their own. */
  @Column('varchar', { name: 'tenant_id', length: 128 })
  tenantId!: string;

  /** A pattern of names of models, in which `*` stands for any characters. */
  @Column('varchar', { name: 'model', length: 200 })
  model!: string;

  /** Empty: of any provider. */
  @Column('varchar', { name: 'provider', length: 64, default: '' })
  provider!: string;

  @Column('bigint', { name: 'valid_from' })
  validFrom!: number;

  /** Of one token of the input that was not cached. */
  @Column('bigint', { name: 'input' })
  input!: number;

  @Column('bigint', { name: 'cached_input' })
  cachedInput!: number;

  /** Of one token of the output that was not reasoning. */
  @Column('bigint', { name: 'output' })
  output!: number;

  @Column('bigint', { name: 'reasoning' })
  reasoning!: number;

  @Column('bigint', { name: 'per_call', default: 0 })
  perCall!: number;

  /** The most tokens of an answer of the model; null if it is not known. */
  @Column('integer', { name: 'max_output', nullable: true })
  maxOutput!: number | null;

  @Column('bigint', { name: 'created_at' })
  createdAt!: number;
}
