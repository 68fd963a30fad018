import { Injectable } from '@nestjs/common';
import { RequestDatabase, DATABASE_NOW, type SqlValue } from '../../database/index.js';
import { ChoreSchedule, type ChoreTurn } from '../ports/chore-schedule.js';

const WAITS = 'SELECT name, due_at - {now} AS wait FROM chores';
const ADD = 'INSERT INTO chores (name, due_at, fence) VALUES (?, {now}, 0) ON CONFLICT (name) DO NOTHING';
const TAKE = `
  UPDATE chores SET due_at = {now} + ?, fence = fence + 1 WHERE name = ? AND due_at <= {now} RETURNING name, fence`;
const POSTPONE = 'UPDATE chores SET due_at = {now} + ? WHERE name = ? AND fence = ?';

/** Chores as rows of a table. */
@Injectable()
export class TypeOrmChoreSchedule extends ChoreSchedule {
  constructor(private readonly database: RequestDatabase) {
    super();
  }

  async waits(withinMs = 0): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.looks.soon<{ name: string; wait: number }>(this.sql(WAITS), [], withinMs);
    return new Map(rows.map(({ name, wait }) => [name, wait]));
  }

  async add(name: string): Promise<void> {
    await this.change(ADD, [name]);
  }

  async take(name: string, holdMs: number): Promise<ChoreTurn | undefined> {
    const sql = this.sql(TAKE);
    const [turn] = await this.database.write((tx) => tx.all<ChoreTurn>(sql, [Math.ceil(holdMs), name]));
    return turn;
  }

  async postpone({ name, fence }: ChoreTurn, milliseconds: number): Promise<boolean> {
    return (await this.change(POSTPONE, [Math.ceil(milliseconds), name, fence])) > 0;
  }

  private change(text: string, values: readonly SqlValue[]): Promise<number> {
    return this.database.write((tx) => tx.run(this.sql(text), values));
  }

  private sql(text: string): string {
    return text.replaceAll('{now}', DATABASE_NOW[this.database.dialect]);
  }
}
