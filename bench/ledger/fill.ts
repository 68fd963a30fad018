import type pg from 'pg';

/** Runs of one session. */
const RUNS_OF_SESSION = 10;
const USERS = 500;
/** Time between the ends of two runs, in milliseconds: 50,000 runs are a day. */
const PAUSE_MS = 1728;

/** What a ledger is filled with. */
export interface Content {
  readonly runs: number;
  /** Events of each run. */
  readonly events: number;
  /** When the last run ended, in milliseconds since the epoch. */
  readonly until: number;
}

/** The text of event `e` of run `n`, as long as that of a piece of an answer. */
const LINE = `'{"object":"content","type":"text","delta":true,"index":0,"msg_id":"msg_0199c1f2-7a3e-7c55-9d2b-' || lpad(n::text, 12, '0')
  || '","text":" word' || e || '","sequence_number":' || e || '}'`;

/** Sessions and ended runs, without events. */
export async function fillRuns(client: pg.Client, { runs, events, until }: Content): Promise<void> {
  const ended = `${until} - (${runs} - n)::bigint * ${PAUSE_MS}`;
  await client.query(`
    INSERT INTO sessions (tenant_id, user_id, id, run_count, message_count, created_at, updated_at)
    SELECT 'default', 'user-' || s % ${USERS}, 'session-' || s, ${RUNS_OF_SESSION}, ${2 * RUNS_OF_SESSION}, ${until}, ${until} + s
    FROM generate_series(0, ${Math.ceil(runs / RUNS_OF_SESSION) - 1}) s`);
  await client.query(`
    INSERT INTO runs (id, tenant_id, user_id, session_id, session_no, ordinal, agent_type, status, request, fingerprint,
      attempt, fence, next_seq, created_at, started_at, finished_at, input_text)
    SELECT 'run-' || n, 'default', 'user-' || (n - 1) / ${RUNS_OF_SESSION} % ${USERS}, 'session-' || (n - 1) / ${RUNS_OF_SESSION},
      (n - 1) / ${RUNS_OF_SESSION} + 1, (n - 1) % ${RUNS_OF_SESSION} + 1, 'worker', 'completed', '{}', repeat('f', 64),
      1, 1, ${events}, ${ended} - 30000, ${ended} - 30000, ${ended}, 'What is the weather in Paris?'
    FROM generate_series(1, ${runs}) n`);
}

/** The events as runs write them: each commit a row, those of a run beside each other, however many runs there are. */
export async function fillEvents(client: pg.Client, { runs, events, until }: Content): Promise<void> {
  await client.query(`
    INSERT INTO run_event_chunks (run_no, first_seq, event_count, body, created_at)
    SELECT n, e, 1, ${LINE}, ${until} - (${runs} - n)::bigint * ${PAUSE_MS} + e
    FROM generate_series(1, ${runs}) n, generate_series(0, ${events - 1}) e
    ORDER BY n, e`);
}

/** The same events as the compaction leaves them, in the place of all others, and a journal of two steps for each run. */
export async function fillCompacted(client: pg.Client, { runs, events, until }: Content): Promise<void> {
  const at = `${until} - (${runs} - n)::bigint * ${PAUSE_MS}`;
  await client.query('TRUNCATE run_event_chunks, run_results, run_steps');
  await client.query(`
    INSERT INTO run_event_chunks (run_no, first_seq, event_count, body, created_at, times)
    SELECT n, 0, ${events - 1}, string_agg(${LINE}, E'\\n' ORDER BY e), ${at}, string_agg('1:' || ${at} + e, ',' ORDER BY e)
    FROM generate_series(1, ${runs}) n, generate_series(0, ${events - 2}) e GROUP BY n
    UNION ALL
    SELECT n, e, 1, ${LINE}, ${at} + e, NULL FROM generate_series(1, ${runs}) n, generate_series(${events - 1}, ${events - 1}) e`);
  await client.query(`
    INSERT INTO run_steps (run_no, step_key, status, input_hash, output, updated_at)
    SELECT n, 'model:' || s, 'finished', repeat('f', 64), '{"text":"word"}', ${at}
    FROM generate_series(1, ${runs}) n, generate_series(0, 1) s`);
  await client.query(
    `UPDATE runs SET compacted_at = finished_at, digests = '{"runs":{"frames":100}}', events_pruned_at = NULL WHERE no <= ${runs}`,
  );
}
