import { Database } from '../../src/database/index.js';
import { behaviour, JournalingCodeAgent, mutter, stopped } from '../support/code-agents.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { rawRequest } from '../support/raw-http.js';
import { startServer, type TestServer } from '../support/server.js';
import { until } from '../support/until.js';

/** The wires, and whether they have a frame for an error in the middle of a stream. The others cut the connection. */
const HAS_ERROR_FRAME = {
  'agent-api': false,
  responses: true,
  'ag-ui': false,
  'ag-kit': false,
  'ag-kit-ag-ui': false,
  'ag-kit-bot': false,
  runs: false,
  'chat-completions': true,
  'ai-sdk': false,
  a2a: true,
  'a2a-0.3': true,
};

describeOnDatabases('readers at another server', (openDatabase) => {
  let database: TestDatabase;
  let servers: TestServer[] = [];
  afterEach(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await database.drop();
  });

  it('their streams end when the run is removed', async () => {
    database = await openDatabase();
    behaviour.current = async function* (context) {
      yield mutter(context, 'Once upon');
      await stopped(context);
    };
    const env = { DEFAULT_AGENT: 'code-journal', SHUTDOWN_GRACE_MS: '100' };
    const start = () => startServer({ database, env, providers: [JournalingCodeAgent] });
    const [owner, other] = [await start(), await start()];
    servers = [owner, other];
    const body = { input: [{ role: 'user', content: [{ type: 'text', text: 'a story' }] }] };
    const own = rawRequest(owner.port, 'POST', '/process', JSON.stringify(body));
    await until(() => own.chunks.join('').includes('Once upon'), 'the story');
    const runId = /"id":"([^"]+)"/.exec(own.chunks.join(''))?.[1] ?? '';
    const watchers = Object.entries(HAS_ERROR_FRAME).map(([name, hasFrame]) => {
      return { name, hasFrame, answer: rawRequest(other.port, 'GET', `/runs/${runId}/events?protocol=${name}`) };
    });
    for (const { name, answer } of watchers) await until(() => answer.chunks.join('').includes('Once upon'), name);
    // As when it ends and is removed between two looks of the readers.
    await other.get(Database).write((tx) => tx.run('DELETE FROM runs'));
    for (const { name, hasFrame, answer } of watchers) {
      await until(() => answer.ended || answer.closed, `the end on ${name}`);
      expect([name, answer.ended]).toEqual([name, hasFrame]);
      if (hasFrame)
        expect(answer.chunks.join('')).toMatch(/"code":"(response|completion)_not_found"|"reason":"TASK_NOT_FOUND"/);
    }
    const again = rawRequest(other.port, 'GET', `/runs/${runId}/events?protocol=runs`);
    await until(() => again.head !== '', 'an answer');
    expect(again.head).toMatch(/^HTTP\/1.1 404/);
  });
});
