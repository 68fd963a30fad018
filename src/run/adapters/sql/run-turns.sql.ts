import { inputTextOf, interruptPlace, openInputText, type RequestDatabase } from '../../../database/index.js';
import { isEdited } from '../../../agent/interrupt/index.js';
import type { JsonObject } from '../../../common/index.js';
import type { RunState } from '../../run.types.js';
import type { RunTurn } from '../../ports/run-queries.js';

/** How many runs of a session are looked at for the first run of a turn. */
const LOOKED_BACK = 100;
/** The most interrupts that are read for one page of a list. */
const INTERRUPTS = 1000;

/** The rows of a JSON array of numbers. */
export const AMONG = {
  sqlite: 'r.no IN (SELECT value FROM json_each(?))',
  postgres: 'r.no = ANY(ARRAY(SELECT json_array_elements_text(?::json)::int))',
};

/** The run before another one of its session has left it to others to go on. */
const WAITED = (run: string): string => `COALESCE((SELECT b.status FROM runs b
  WHERE b.session_no = ${run}.session_no AND b.ordinal < ${run}.ordinal ORDER BY b.ordinal DESC LIMIT 1), '') = 'interrupted'`;

/** What a list knows of a run. */
interface ListedRow {
  readonly no: number;
  readonly status: RunState;
  readonly input_text: string | null;
}

interface FirstRow {
  readonly no: number;
  readonly id: string;
  readonly tenant_id: string;
  readonly input_text: string | null;
}

interface AskedRow {
  readonly no: number;
  /** Whether the run after it in its session has no text of the user; null if there is none. */
  readonly is_next_wordless: number | null;
  readonly id: string | null;
  readonly kind: 'approval' | 'input';
  readonly status: string;
  readonly tool_name: string | null;
  readonly resumed_by_run_id: string | null;
  readonly decision: string | null;
  readonly session_no: number | null;
  readonly tenant_id: string;
  readonly expires_at: number | string | null;
}

const OF_ITSELF: RunTurn = { first: null, waitsFor: null, isContinued: false, asked: [] };

/**
 * How runs belong together, by their rows: which run a continuation goes back to, and what interrupted ones wait for.
 * At most two statements, whose work is bounded by the number of the rows.
 *
 * @param now in milliseconds since the epoch: interrupts whose time has passed are expired
 */
export async function turnsOf(
  database: RequestDatabase,
  rows: readonly ListedRow[],
  now: number,
): Promise<ReadonlyMap<number, RunTurn>> {
  const turns = new Map<number, RunTurn>();
  const wordless = rows.filter(({ input_text }) => input_text === null);
  const { content } = database;
  const firsts = await read<FirstRow>(database, wordless, (among) => firstRuns(among, inputTextOf(content, 'f')));
  const texts = await content.reading(() => firsts.map((row) => openInputText(content, row.tenant_id, row.input_text)));
  for (const [index, { no, id }] of firsts.entries()) {
    turns.set(no, { ...OF_ITSELF, first: { runId: id, inputText: texts[index] ?? null } });
  }
  const interrupted = rows.filter(({ status }) => status === 'interrupted');
  const stored = await read<AskedRow>(database, interrupted, interruptsOf);
  const asked = await content.reading(() =>
    stored.map((row) => {
      const place = interruptPlace('decision', row.session_no ?? 0, row.id ?? '');
      return { ...row, decision: content.json(row.tenant_id, place, row.decision) };
    }),
  );
  for (const { no } of interrupted) {
    const own = asked.filter((row) => row.no === no);
    const { first } = turns.get(no) ?? OF_ITSELF;
    turns.set(no, { first, ...waitOf(own, now) });
  }
  return turns;
}

/** The turn of a run that is neither interrupted nor the continuation of another one. */
export function turnIn(turns: ReadonlyMap<number, RunTurn>, no: number): RunTurn {
  return turns.get(no) ?? OF_ITSELF;
}

function waitOf(rows: readonly AskedRow[], now: number): Omit<RunTurn, 'first'> {
  const asked = rows.flatMap((row) => {
    if (row.id === null) return [];
    const isDue = row.status === 'pending' && row.expires_at !== null && Number(row.expires_at) <= now;
    const { id, kind, tool_name: toolName, resumed_by_run_id: resumedByRunId } = row;
    const decision = row.decision === null ? null : (JSON.parse(row.decision) as JsonObject);
    const status = isDue ? 'expired' : row.status;
    return [{ id, kind, status, toolName, isEdited: isEdited({ decision }), resumedByRunId }];
  });
  const open = asked.find(({ status }) => status === 'pending');
  const next = rows[0]?.is_next_wordless ?? null;
  // A run that has asked nobody waits for the results of the client's tools, until the session goes on.
  const waitsFor = open ? open.kind : asked.length === 0 && next === null ? 'client' : null;
  return { waitsFor, isContinued: Number(next) === 1, asked };
}

/** Runs without words of a user, after one that waited: the first run of their turn. */
function firstRuns(among: string, inputText: string): string {
  return `SELECT r.no, r.tenant_id, f.id, ${inputText} AS input_text FROM runs r JOIN runs f ON f.no = (
      SELECT p.no FROM runs p
      WHERE p.session_no = r.session_no AND p.ordinal < r.ordinal AND p.ordinal >= r.ordinal - ${LOOKED_BACK}
        AND (p.input_text IS NOT NULL OR NOT ${WAITED('p')})
      ORDER BY p.ordinal DESC LIMIT 1)
    WHERE ${among} AND ${WAITED('r')}`;
}

function interruptsOf(among: string): string {
  return `SELECT r.no, i.id, i.kind, i.status, i.tool_name, i.resumed_by_run_id, i.decision, i.expires_at,
      i.session_no, r.tenant_id,
      (SELECT CASE WHEN l.input_text IS NULL THEN 1 ELSE 0 END FROM runs l
        WHERE l.session_no = r.session_no AND l.ordinal > r.ordinal ORDER BY l.ordinal LIMIT 1) AS is_next_wordless
    FROM runs r LEFT JOIN interrupts i
      ON i.session_no = r.session_no AND (i.run_no = r.no OR i.waiting_run_no = r.no)
    WHERE ${among} ORDER BY i.no LIMIT ${INTERRUPTS}`;
}

async function read<Row>(
  database: RequestDatabase,
  rows: readonly ListedRow[],
  statement: (among: string) => string,
): Promise<readonly Row[]> {
  if (rows.length === 0) return [];
  return database.read.all<Row>(statement(AMONG[database.dialect]), [JSON.stringify(rows.map(({ no }) => no))]);
}
