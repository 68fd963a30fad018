import { Database } from '../../src/database/index.js';
import type { TestServer } from './server.js';

/** How many events each commit of the log has. */
const COMMIT = 50;

/**
 * Writes ended runs straight into the SQLite database of a server, a second apart, the last now. Their requests are
 * `Words of 0`, `Words of 1`, …; every thousandth has failed.
 */
export async function addRuns(server: TestServer, count: number): Promise<void> {
  const begin = Date.now() - count * 1000;
  await server.get(Database).write(async (tx) => {
    await tx.run(
      `WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1})
       INSERT INTO runs (id, tenant_id, user_id, session_id, session_no, ordinal, agent_type, status, request,
         fingerprint, created_at, started_at, finished_at, input_text)
       SELECT 'many-' || n, 'default', 'alice', 'many-' || n / 10, 1000000 + n / 10, n % 10 + 1, 'worker',
         CASE WHEN n % 1000 = 0 THEN 'failed' ELSE 'completed' END, '{}', 'f',
         ${begin} + n * 1000, ${begin} + n * 1000, ${begin} + n * 1000, 'Words of ' || n
       FROM numbers`,
    );
    await tx.run('ANALYZE');
  });
}

/** Replaces the log of an ended run by many events; the one in the middle is named `needle`. */
export async function replaceLog(server: TestServer, runId: string, count: number): Promise<void> {
  await server.get(Database).write(async (tx) => {
    const [run] = await tx.all<{ no: number }>('SELECT no FROM runs WHERE id = ?', [runId]);
    await tx.run('DELETE FROM run_event_chunks WHERE run_no = ?', [run?.no ?? 0]);
    for (let first = 0; first < count; first += COMMIT) {
      const lines = Array.from({ length: COMMIT }, (_, index) =>
        first + index === count / 2
          ? '{"object":"custom","name":"needle","value":null}'
          : `{"object":"content","status":"in_progress","type":"text","index":0,"delta":true,"msg_id":"m","text":"piece ${first + index}"}`,
      );
      tx.send(
        'INSERT INTO run_event_chunks (run_no, first_seq, event_count, body, created_at) VALUES (?, ?, ?, ?, ?)',
        [run?.no ?? 0, first, COMMIT, lines.join('\n'), Date.now()],
      );
    }
    await tx.run('UPDATE runs SET next_seq = ? WHERE no = ?', [count, run?.no ?? 0]);
  });
}
