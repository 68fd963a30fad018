import { Column, Entity, PrimaryColumn } from '../typeorm.js';

/** Work that one of all instances does in each period. */
@Entity({ name: 'chores' })
export class ChoreEntity {
  @PrimaryColumn('varchar', { name: 'name', length: 64, primaryKeyConstraintName: 'pk_chores' })
  name!: string;

  /** When it is to be done next: milliseconds of the database's clock. */
  @Column('bigint', { name: 'due_at' })
  dueAt!: number;

  /** Grows with every turn; an instance that has lost its turn changes nothing. */
  @Column('integer', { name: 'fence', default: 0 })
  fence!: number;
}
