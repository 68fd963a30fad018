import { Injectable } from '@nestjs/common';
import { AppError, isStorable, type Reach } from '../../../common/index.js';
import {
  RequestDatabase,
  queryable,
  reachCondition,
  type SqlValue,
  type Transaction,
} from '../../../database/index.js';
import type { RemovedRun, RemovedSession } from '../../../agent/session/index.js';
import { type ListedRun, RunListings, type RunListingQuery } from '../../ports/run-listings.js';
import type { RunRecord } from '../../run-record.js';
import type { RunListing } from '../../run.types.js';

const INSERT = `
  INSERT INTO run_metadata (run_no, tenant_id, user_id, wire, run_id, model, metadata) VALUES (?, ?, ?, ?, ?, ?, ?)`;
/** A run without an answer is in no list: one that has not ended, has failed, or was canceled. */
const SHOWN = `
  FROM run_metadata m JOIN runs r ON r.no = m.run_no AND r.status IN ('completed', 'incomplete', 'interrupted') WHERE `;
const COLUMNS = 'm.run_no, m.run_id, m.user_id, m.model, m.metadata';
const REMOVE_RUN = 'DELETE FROM run_metadata WHERE run_no = ?';
const REMOVE_SESSION = 'DELETE FROM run_metadata WHERE run_no IN (SELECT no FROM runs WHERE session_no = ?)';
const SAVE = 'UPDATE run_metadata SET metadata = ? WHERE run_no = ?';
/** The place of one text in another; 0 if it is nowhere. */
const PLACE = { sqlite: 'instr(m.metadata, ?)', postgres: 'strpos(m.metadata, ?)' };

interface ListingRow {
  readonly run_no: number;
  readonly run_id: string;
  readonly user_id: string;
  readonly model: string;
  readonly metadata: string;
}

/** Lists of runs in the ledger. */
@Injectable()
export class SqlRunListings extends RunListings {
  constructor(private readonly database: RequestDatabase) {
    super();
  }

  async insert(tx: Transaction, run: RunRecord, { model, metadata }: RunListing): Promise<void> {
    const { rowId, tenantId, userId, wire, id } = run;
    await queryable(tx).run(INSERT, [rowId, tenantId, userId, wire, id, model, metadataText(metadata)]);
  }

  async list(reach: Reach, query: RunListingQuery): Promise<readonly ListedRun[]> {
    const { wire, limit, order, after, model, metadata = {} } = query;
    const members = Object.entries(metadata).map(([name, value]) => memberLine(name, value));
    if (![model ?? '', ...members].every(isStorable)) return [];
    const owner = reachCondition(reach, 'm');
    const where = [owner.sql, 'm.wire = ?'];
    const values: SqlValue[] = [...owner.values, wire];
    if (after !== undefined) {
      const last = await this.row(reach, wire, after);
      if (!last) throw new AppError('INVALID_PARAMETER', `after: this list has no entry with the id '${after}'`);
      where.push(order === 'asc' ? 'm.run_no > ?' : 'm.run_no < ?');
      values.push(last.run_no);
    }
    if (model !== undefined) {
      where.push('m.model = ?');
      values.push(model);
    }
    for (const line of members) {
      where.push(`${PLACE[this.database.dialect]} > 0`);
      values.push(line);
    }
    const rows = await this.database.read.all<ListingRow>(
      `SELECT ${COLUMNS} ${SHOWN} ${where.join(' AND ')} ORDER BY m.run_no ${order === 'asc' ? 'ASC' : 'DESC'} LIMIT ?`,
      [...values, limit],
    );
    return rows.map(listedRun);
  }

  async find(reach: Reach, wire: string, runId: string): Promise<ListedRun | undefined> {
    const row = await this.row(reach, wire, runId);
    return row && listedRun(row);
  }

  async saveMetadata(reach: Reach, wire: string, runId: string, metadata: RunListing['metadata']): Promise<boolean> {
    const row = await this.row(reach, wire, runId);
    if (!row) return false;
    await this.database.write((tx) => tx.run(SAVE, [metadataText(metadata), row.run_no]));
    return true;
  }

  async cleanSession(tx: Transaction, { rowId }: RemovedSession): Promise<undefined> {
    await queryable(tx).run(REMOVE_SESSION, [rowId]);
  }

  async cleanRun(tx: Transaction, { rowId }: RemovedRun): Promise<undefined> {
    await queryable(tx).run(REMOVE_RUN, [rowId]);
  }

  /** @throws AppError AMBIGUOUS_ID when several users of a tenant have such a run, and the reach is the tenant */
  private async row(reach: Reach, wire: string, runId: string): Promise<ListingRow | undefined> {
    if (!isStorable(runId)) return undefined;
    const owner = reachCondition(reach, 'r');
    const sql = `SELECT ${COLUMNS} ${SHOWN} ${owner.sql} AND r.id = ? AND m.wire = ? LIMIT 2`;
    const [row, another] = await this.database.read.all<ListingRow>(sql, [...owner.values, runId, wire]);
    if (another) throw new AppError('AMBIGUOUS_ID');
    return row;
  }
}

/** JSON of which each member has a line: JSON strings have no line breaks, so a member is found by its text. */
function metadataText(metadata: RunListing['metadata']): string {
  return JSON.stringify(metadata, null, 1);
}

/** The text of a member in that of `metadataText`. */
function memberLine(name: string, value: string): string {
  return `\n ${JSON.stringify(name)}: ${JSON.stringify(value)}`;
}

function listedRun({ run_id: runId, user_id: userId, model, metadata }: ListingRow): ListedRun {
  return { runId, userId, model, metadata: JSON.parse(metadata) as RunListing['metadata'] };
}
