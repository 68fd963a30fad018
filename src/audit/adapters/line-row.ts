import type { SqlValue } from '../../database/index.js';
import type { StoredLine } from '../audit-line.js';

/** The columns of a line, in the order of `LINE_COLUMNS`. */
const COLUMNS = [
  ['tenant', 'tenant'],
  ['at', 'at'],
  ['action', 'action'],
  ['outcome', 'outcome'],
  ['actorKind', 'actor_kind'],
  ['actorId', 'actor_id'],
  ['actorAccount', 'actor_account'],
  ['onBehalfOf', 'on_behalf_of'],
  ['subjectKind', 'subject_kind'],
  ['subjectId', 'subject_id'],
  ['runId', 'run_id'],
  ['interruptId', 'interrupt_id'],
  ['callId', 'call_id'],
  ['toolName', 'tool_name'],
  ['requestId', 'request_id'],
  ['network', 'network'],
  ['payloadHash', 'payload_hash'],
  ['details', 'details'],
] as const satisfies readonly (readonly [Exclude<keyof StoredLine, 'no'>, string])[];

/** For a SELECT from `audit_lines` as `l`. */
export const LINE_COLUMNS = ['no', ...COLUMNS.map(([, column]) => column)]
  .map((column) => `l.${column} AS ${column}`)
  .join(', ');

/** A row that `LINE_COLUMNS` selects. */
export type LineRow = Readonly<Record<string, string | number | null>>;

/** Adds a line to `audit_lines`, whose tenant is the first value. Returns its number. */
export const INSERT_LINE = `
  INSERT INTO audit_lines (tenant_id, ${COLUMNS.map(([, column]) => column).join(', ')})
  VALUES (?, ${COLUMNS.map(() => '?').join(', ')}) RETURNING no`;

/** The values of `INSERT_LINE`. */
export function lineValues(tenantId: string, line: Omit<StoredLine, 'no'>): SqlValue[] {
  return [tenantId, ...COLUMNS.map(([property]) => line[property])];
}

/** The line of a row. */
export function storedLine(row: LineRow): StoredLine {
  const values = COLUMNS.map(([property, column]) => [property, row[column] ?? null] as const);
  return { ...(Object.fromEntries(values) as unknown as StoredLine), no: Number(row['no']), at: Number(row['at']) };
}
