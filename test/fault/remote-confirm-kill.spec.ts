import { CountingAgents, WHOLE_TEXTS } from '../support/counting-agents.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { KillProgress } from '../support/kill-progress.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

/** Kills of one run of this spec, before and after the decision. */
const KILLS = Number(process.env.KILLS ?? 3);
/** A question is asked, and an exchange begins, in less. */
const LONGEST_WAIT_MS = 150;
const ENV = { LEASE_MS: '1500', SWEEP_INTERVAL_MS: '100', RUN_MAX_ATTEMPTS: '20' };

jest.setTimeout(300_000 + KILLS * 30_000);

interface Ended {
  readonly status: string;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly output: readonly { readonly type: string; readonly content?: readonly { readonly text: string }[] }[];
}

/** A remote agent with `confirm` is asked once, and only after the decision, whatever happens to the server meanwhile. */
describeOnDatabases('a server that is killed while a message waits for its approval', (openDatabase) => {
  let upstream: CountingAgents;
  let database: TestDatabase;
  let server: ServerProcess;

  beforeAll(async () => {
    upstream = await CountingAgents.start();
    const careful = { type: 'responses', url: upstream.url, background: true, reattachForMs: 20_000, confirm: true };
    database = await openDatabase();
    server = await ServerProcess.start(database, { ...ENV, REMOTE_AGENTS: JSON.stringify({ agents: { careful } }) });
  });
  afterAll(async () => {
    await server?.stop();
    await upstream.close();
    await database.drop();
  });

  async function json<T>(path: string, body?: object): Promise<T> {
    const init = body && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    };
    return (await (await fetch(server.url + path, init)).json()) as T;
  }
  const ended = (id: string): Promise<Ended> =>
    until(
      async () => {
        const found = await json<Ended>(`/v1/responses/${id}`);
        return /completed|failed/.test(found.status) && found;
      },
      `the end of ${id}`,
      60_000,
    );
  async function killSoon(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_WAIT_MS));
    await server.kill();
    await server.restart();
  }
  const requests = ({ output }: Ended): readonly { readonly type: string }[] =>
    output.filter(({ type }) => type === 'mcp_approval_request');

  it(`asks one question, and the agent once (${KILLS} kills)`, async () => {
    const progress = new KillProgress(database.kind, KILLS);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const question = `question-confirm-${kill}-end`;
      const { id } = await json<{ id: string }>('/v1/responses', {
        model: 'careful',
        input: question,
        background: true,
      });
      await killSoon();
      expect(requests(await ended(id))).toHaveLength(1);
      const { data: open } = await json<{ data: { id: string }[] }>('/approvals?status=pending');
      expect(open).toHaveLength(1);
      expect(upstream.asked.get(question)).toBeUndefined();
      const decided = await json<{ resumedByRunId: string }>(`/approvals/${open[0]?.id ?? ''}`, { approve: true });
      await killSoon();
      const last = await ended(decided.resumedByRunId);
      const texts = last.output.filter(({ type }) => type === 'message');
      // Before the id of the answer is known, nobody can find it again.
      if (last.status === 'failed') expect(last.error?.message).toContain('It is unknown what the agent did');
      else expect(texts.map(({ content }) => content?.[0]?.text)).toEqual(WHOLE_TEXTS);
      expect(upstream.asked.get(question) ?? 0).toBeLessThanOrEqual(1);
      if (last.status !== 'failed') expect(upstream.asked.get(question)).toBe(1);
      progress.count(last.status);
      progress.next();
    }
  });
});
