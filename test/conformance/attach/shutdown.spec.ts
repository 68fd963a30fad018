import { behaviour, JournalingCodeAgent, mutter, stopped } from '../../support/code-agents.js';
import { describeOnDatabases } from '../../support/databases.js';
import { startServer } from '../../support/server.js';
import { rawRequest } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

const JSON_BODY = { 'content-type': 'application/json' };
const DONE = 'data: [DONE]';
const RUN_ERROR = expect.stringMatching(/^data: \{"type":"RUN_ERROR".*"code":"SHUTTING_DOWN"/) as string;
const ERROR = 'data: {"type":"error","error":"The server is shutting down; the run goes on"}';
const FINISHED = expect.stringMatching(/"finish_reason":"error"/) as string;

/** The last lines of the stream of each wire that a shutdown cuts. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  'agent-api': [expect.stringContaining('Once upon') as string],
  responses: [expect.stringMatching(/^data: \{"type":"error"/) as string, DONE],
  'ag-ui': [RUN_ERROR],
  'ag-kit': [ERROR, DONE],
  'ag-kit-ag-ui': [RUN_ERROR],
  'ag-kit-bot': [FINISHED, DONE],
  runs: ['retry: 500'],
  // Their clients take a clean end for the end of the answer.
  'chat-completions': [expect.stringContaining('Once upon') as string],
  'ai-sdk': [expect.stringContaining('Once upon') as string],
};

describeOnDatabases('watched streams during a shutdown', (openDatabase) => {
  it('every stream ends with the terminal frame of its wire, and the run continues on the next server', async () => {
    const database = await openDatabase();
    behaviour.current = async function* (context) {
      yield mutter(context, 'Once upon');
      await stopped(context);
    };
    const env = { DEFAULT_AGENT: 'code-journal', SHUTDOWN_GRACE_MS: '100' };
    const start = () => startServer({ database, env, providers: [JournalingCodeAgent] });
    const server = await start();
    const { port } = server;
    const messages = [{ role: 'user', content: 'a story' }];
    const bodies = {
      'ag-kit': { conversationId: 'cut-a', messages },
      'ag-kit-ag-ui': { threadId: 'cut-b', messages },
      'ag-kit-bot': { msg: 'a story', conversationId: 'cut-c' },
    };
    const own = Object.entries(bodies).map(([name, body]) => ({
      name,
      answer: rawRequest(port, 'POST', '/send-message', JSON.stringify(body)),
    }));
    const speaks = (answers: typeof own): boolean =>
      answers.every(({ answer }) => answer.chunks.join('').includes('Once upon'));
    await until(() => speaks(own), 'the stories');
    const runId = /^x-run-id: (\S+)/im.exec(own[0]?.answer.head ?? '')?.[1] ?? '';
    const watchers = Object.keys(ENDS).map((name) => ({
      name,
      answer: rawRequest(port, 'GET', `/runs/${runId}/events?protocol=${name}`),
    }));
    await until(() => speaks(watchers), 'the watchers');
    await server.close();
    for (const { name, answer } of [...own, ...watchers]) {
      await until(() => answer.ended || answer.closed, `the end on ${name}`);
      expect([name, answer.ended]).toEqual([name, name !== 'chat-completions' && name !== 'ai-sdk']);
      const lines = answer.chunks.join('').split('\n');
      const said = lines.filter((line) => line !== '' && !line.startsWith(':') && !line.startsWith('event:'));
      const end = ENDS[name] ?? [];
      expect([name, ...said.slice(-end.length)]).toEqual([name, ...end]);
    }

    // Another server goes on with the runs: none was cancelled by its client's going.
    behaviour.current = async function* (context) {
      yield mutter(context, 'The end.');
    };
    const next = await start();
    const rest = await fetch(`${next.url}/runs/${runId}/events?protocol=ag-kit`, { headers: JSON_BODY });
    expect(await rest.text()).toContain('The end.');
    await next.close();
    await database.drop();
  });
});
