import { AppError, type JsonObject } from '../../../common/index.js';
import { type ContentSeals, statePlace } from '../../../database/index.js';
import type { Message } from '../../../events/index.js';
import type { SessionMessage, SessionView } from '../ports/sessions.js';

/** A row of `sessions`, as `s`, with the number of its runs. */
export interface SessionRow {
  readonly no: number;
  readonly id: string;
  readonly tenant_id: string;
  readonly state: string;
  readonly metadata: string;
  readonly runs: number;
  readonly agent_type: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The agent type of the newest run of `s` that `Runs.list` lists. */
export const AGENT_TYPE = `(SELECT r.agent_type FROM runs r
  WHERE r.session_no = s.no AND (r.keep <> 'transient' OR r.status IN ('queued', 'running'))
  ORDER BY r.ordinal DESC LIMIT 1)`;

/** The columns of `SessionRow`. */
export const SESSION_COLUMNS = `s.no, s.id, s.tenant_id, s.state, s.metadata, s.created_at, s.updated_at,
  (SELECT COUNT(*) FROM runs r WHERE r.session_no = s.no) AS runs, ${AGENT_TYPE} AS agent_type`;

/** A row of `messages`, as `m`, with the id of its run, `r`. */
export interface MessageRow {
  readonly seq: number;
  readonly run_id: string | null;
  readonly run_ordinal: number;
  readonly body: string;
  readonly created_at: number;
}

/** The columns of `MessageRow`. */
export const MESSAGE_COLUMNS = 'm.seq, r.id AS run_id, m.run_ordinal, m.body, m.created_at';

/** A row as wires see the session. Only within `ContentSeals.reading`. @throws UnreadableContent */
export function viewOf(row: SessionRow, content: ContentSeals): SessionView {
  return {
    sessionId: row.id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    runCount: row.runs,
    metadata: JSON.parse(row.metadata) as JsonObject,
    state: JSON.parse(content.json(row.tenant_id, statePlace(row.no), row.state)) as JsonObject,
    agentType: row.agent_type,
  };
}

/** A row as wires see the message. */
export function messageOf(row: MessageRow): SessionMessage {
  return {
    seq: row.seq,
    runId: row.run_id,
    runOrdinal: row.run_ordinal,
    createdAt: row.created_at,
    message: JSON.parse(row.body) as Message,
  };
}

/** The cursor of the page that begins after this session. */
export function cursorAfter(row: Pick<SessionRow, 'updated_at' | 'no'>): string {
  return Buffer.from(`${row.updated_at}.${row.no}`).toString('base64url');
}

/** The time and row id in a cursor. @throws AppError INVALID_PARAMETER */
export function readCursor(cursor: string): [updatedAt: number, no: number] {
  const match = /^(\d{1,16})\.(\d{1,10})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (!match) throw new AppError('INVALID_PARAMETER', 'Unknown cursor');
  return [Number(match[1]), Number(match[2])];
}
