import OpenAI from 'openai';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { PythonAgent } from '../support/python-agent.js';
import { ServerProcess } from '../support/server-process.js';

const WORDS = Array.from({ length: 20 }, (_, index) => `w${index}`).join(' ');
const ENV = { LEASE_MS: '1500', SWEEP_INTERVAL_MS: '100' };

jest.setTimeout(120_000);

/** What the tutorial docs/tutorials/your-agent.md promises. */
describeOnDatabases('the example in Python behind a server that is killed', (openDatabase) => {
  let agent: PythonAgent;
  let database: TestDatabase;
  let server: ServerProcess;
  let client: OpenAI;

  beforeAll(async () => {
    agent = await PythonAgent.start(0.1);
    database = await openDatabase();
    server = await ServerProcess.start(database, { ...ENV, ...agent.env });
    client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'any', maxRetries: 0 });
  });
  afterAll(async () => {
    await server?.stop();
    agent?.stop();
    await database?.drop();
  });

  it('goes on with the answer, and who follows it gets the rest', async () => {
    let id = '';
    let last = -1;
    const begun = await client.responses.create({ model: 'refunds', input: WORDS, stream: true, background: true });
    const broken = (async () => {
      for await (const event of begun) {
        last = event.sequence_number;
        if (event.type === 'response.created' || event.type === 'response.queued') id = event.response.id;
        if (event.type === 'response.output_text.delta' && event.delta.startsWith('w5')) void server.kill();
      }
    })();
    await expect(broken).rejects.toThrow();
    await server.stop();
    await server.restart();
    const rest = await client.responses.retrieve(id, { stream: true, starting_after: last });
    const numbers: number[] = [];
    let answer: OpenAI.Responses.Response | undefined;
    for await (const event of rest) {
      numbers.push(event.sequence_number);
      if (event.type === 'response.completed' || event.type === 'response.failed') answer = event.response;
    }
    expect(numbers).toEqual(numbers.map((_, index) => last + 1 + index));
    expect(answer).toMatchObject({ status: 'completed', error: null });
    const stored = await client.responses.retrieve(id);
    expect(stored.output).toHaveLength(1);
    expect(stored.output_text).toBe(`You said: ${WORDS}`);
  });
});
