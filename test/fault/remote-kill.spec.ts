import { AgentScopeDouble, replyOf, textEvents } from '../../src/agent/adapters/testing/agentscope-double.js';
import { CountingAgents, WHOLE_TEXTS } from '../support/counting-agents.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { KillProgress } from '../support/kill-progress.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

/** Kills of one run of this spec, at random points. `KILLS=100` is what the contract asks for. */
const KILLS = Number(process.env.KILLS ?? 3);
/** Runs that are open while the server is deployed anew. */
const OPEN = 50;
/** An exchange takes about half a second. */
const LONGEST_WAIT_MS = 700;
/** A run is taken over soon after its server was lost. */
const ENV = { LEASE_MS: '1500', SWEEP_INTERVAL_MS: '100', RUN_MAX_ATTEMPTS: '20', RUN_CONCURRENCY: '100' };

jest.setTimeout(600_000 + KILLS * 30_000);

/** How a run fails whose agent was lost. */
const IN_DOUBT = expect.stringContaining('It is unknown what the agent did; it was not asked again') as string;

interface Ended {
  readonly status: string;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly output: readonly { readonly type: string; readonly content: readonly { readonly text: string }[] }[];
}

/** What a remote agent does is done once, whatever happens to the server meanwhile (contract gateway, section B3). */
describeOnDatabases('a server that is killed while remote agents work', (openDatabase) => {
  let upstream: CountingAgents;
  let scope: AgentScopeDouble;
  let database: TestDatabase;
  let server: ServerProcess;

  beforeAll(async () => {
    upstream = await CountingAgents.start();
    scope = await AgentScopeDouble.start();
    let replies = 0;
    scope.script = () => {
      const reply = `r${(replies += 1)}`;
      const pieces = WHOLE_TEXTS.map((text) => text.split(/(?<= )/));
      return replyOf(
        reply,
        pieces.flatMap((one, index) => textEvents(reply, `${reply}-${index}`, one)),
      );
    };
    scope.onEvent = () => new Promise((resolve) => setTimeout(resolve, 15));
    const common = { maxConcurrent: 100, reattachForMs: 20_000 };
    const agents = {
      kept: { type: 'responses', url: upstream.url, background: true, ...common },
      scope: { type: 'agentscope-2', url: scope.url, agentId: 'friend', ...common },
      plain: { type: 'ag-ui', url: `${upstream.url}/ag-ui`, ...common },
      again: { type: 'ag-ui', url: `${upstream.url}/ag-ui`, onDoubt: 'resend', ...common },
    };
    database = await openDatabase();
    server = await ServerProcess.start(database, { ...ENV, REMOTE_AGENTS: JSON.stringify({ agents }) });
  });
  afterAll(async () => {
    await server?.stop();
    await upstream.close();
    await scope.close();
    await database.drop();
  });

  /** Begins a run, which the server has accepted when this resolves. Returns its id. */
  async function begin(model: string, question: string): Promise<string> {
    const body = JSON.stringify({ model, input: question, background: true });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${server.url}/v1/responses`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { id: string }).id;
  }

  async function ended(id: string): Promise<Ended> {
    return until(
      async () => {
        const found = (await (await fetch(`${server.url}/v1/responses/${id}`)).json()) as Ended;
        return /completed|failed/.test(found.status) && found;
      },
      `the end of ${id}`,
      60_000,
    );
  }

  const textsOf = ({ output }: Ended): string[] =>
    output.map(({ content }) => content.map(({ text }) => text).join(''));
  const scoped = (question: string): number =>
    scope.inputs.filter((input) => JSON.stringify(input).includes(`"${question}"`)).length;

  it(`loses no answer, says no word twice and asks nobody twice (${KILLS} kills)`, async () => {
    const progress = new KillProgress(database.kind, KILLS);
    for (let kill = 0; kill < KILLS; kill += 1) {
      const questions = Object.fromEntries(
        ['kept', 'scope', 'plain', 'again'].map((model) => [model, `question-${model}-${kill}-end`]),
      );
      const ids = await Promise.all(Object.entries(questions).map(([model, question]) => begin(model, question)));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * LONGEST_WAIT_MS));
      await server.kill();
      await server.restart();
      const [kept, scope_, plain, again] = (await Promise.all(ids.map(ended))) as [Ended, Ended, Ended, Ended];
      const asked = (model: string): number => upstream.asked.get(questions[model] ?? '') ?? 0;
      // Before the id of the answer is known, nobody can find it again. The request may not have been written, either.
      if (kept.status === 'failed') expect([kept.error?.message, asked('kept') <= 1]).toEqual([IN_DOUBT, true]);
      else expect([textsOf(kept), asked('kept')]).toEqual([WHOLE_TEXTS, 1]);
      expect([scope_.error, textsOf(scope_), scoped(questions['scope'] ?? '')]).toEqual([null, WHOLE_TEXTS, 1]);
      if (plain.status === 'failed') expect([plain.error?.message, asked('plain') <= 1]).toEqual([IN_DOUBT, true]);
      else expect([textsOf(plain), asked('plain')]).toEqual([WHOLE_TEXTS, 1]);
      expect([again.error, textsOf(again)]).toEqual([null, WHOLE_TEXTS]);
      expect([1, 2]).toContain(asked('again'));
      for (const [name, run] of Object.entries({ kept, scope: scope_, plain })) progress.count(`${name} ${run.status}`);
      progress.count(`again asked ${asked('again')}`);
      progress.next();
    }
  });

  it(`is deployed anew with ${OPEN} runs open, and none is lost`, async () => {
    const questions = Array.from({ length: OPEN }, (_, index) => `question-deploy-${index}-end`);
    const ids = await Promise.all(questions.map((question) => begin('kept', question)));
    await until(() => questions.every((question) => upstream.asked.has(question)), 'all to be asked');
    await server.terminate();
    await server.restart();
    for (const [index, run] of (await Promise.all(ids.map(ended))).entries()) {
      expect([run.error, textsOf(run), upstream.asked.get(questions[index] ?? '')]).toEqual([null, WHOLE_TEXTS, 1]);
    }
  });
});
