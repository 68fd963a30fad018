import { startServer, type TestServer } from '../support/server.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { counted } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

const COUNT = 20;
const QUESTION = `count to ${COUNT} slowly`;
const KINDS = ['responses', 'ag-ui', 'agent-api', 'a2a'] as const;

interface Answer {
  readonly status: string;
  readonly output: readonly { readonly type: string; readonly content?: readonly { readonly text: string }[] }[];
}

/** What a server behind the gateway takes back after its own death is taken back by the gateway (contract gateway, section B2). */
describeOnDatabases('another Parley behind the gateway that is killed while it answers', (openDatabase) => {
  let database: TestDatabase;
  let rear: ServerProcess;
  let front: TestServer;

  beforeAll(async () => {
    database = await openDatabase();
    rear = await ServerProcess.start(database, { LEASE_MS: '1500', SWEEP_INTERVAL_MS: '100', RUN_MAX_ATTEMPTS: '5' });
    const { url } = rear;
    const again = { reattach: 'parley', eventsUrl: `${url}/runs` };
    const agents = {
      responses: { type: 'responses', url: `${url}/compatible-mode/v1`, background: true },
      'ag-ui': { type: 'ag-ui', url: `${url}/ag-ui`, ...again },
      'agent-api': { type: 'agent-api', url: `${url}/process`, ...again },
      a2a: { type: 'a2a', url: `${url}/a2a` },
    };
    front = await startServer({ env: { AUTH: 'none', REMOTE_AGENTS: JSON.stringify({ agents }) } });
  });
  afterAll(async () => {
    await front?.close();
    await rear?.stop();
    await database.drop();
  });

  async function ask(model: string): Promise<string> {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ model, input: QUESTION, background: true });
    const answer = await fetch(`${front.url}/v1/responses`, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { id: string }).id;
  }

  async function read(id: string): Promise<Answer> {
    return (await (await fetch(`${front.url}/v1/responses/${id}`)).json()) as Answer;
  }

  const textsOf = ({ output }: Answer): readonly string[] =>
    output.map(({ content = [] }) => content.map(({ text }) => text).join(''));

  /** What the timeline of a run shows of lost workers. */
  async function recoveries(id: string): Promise<readonly { readonly name: string; readonly discarded: number }[]> {
    const answer = await fetch(`${front.url}/api/v1/runs/${id}/timeline`);
    const { spans } = (await answer.json()) as {
      readonly spans: readonly {
        readonly kind: string;
        readonly name: string;
        readonly details?: { readonly discardedMessageIds: readonly string[] };
      }[];
    };
    const found = spans.filter(({ kind }) => kind === 'recovery');
    return found.map(({ name, details }) => ({ name, discarded: details?.discardedMessageIds.length ?? 0 }));
  }

  it('tells each word once, and shows what was taken back', async () => {
    const ids = await Promise.all(KINDS.map(ask));
    const begun = async (): Promise<boolean> =>
      (await Promise.all(ids.map(read))).every((answer) => textsOf(answer).join('').includes('4'));
    await until(begun, 'all to have begun');
    await rear.kill();
    await rear.restart();
    const ended = (id: string): Promise<Answer> =>
      until(
        async () => {
          const found = await read(id);
          return /completed|failed/.test(found.status) && found;
        },
        `the end of ${id}`,
        60_000,
      );
    const answers = await Promise.all(ids.map(ended));
    expect(answers.map((one) => [one.status, textsOf(one)])).toEqual(KINDS.map(() => ['completed', [counted(COUNT)]]));
    const spans = await Promise.all(ids.map(recoveries));
    expect(spans).toEqual(KINDS.map(() => [{ name: 'remote agent', discarded: 1 }]));
  });
});
