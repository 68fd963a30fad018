import { finish, ScriptedModelClient, text } from '../../src/agent/testing/scripted-model-client.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { startServer, type TestServer } from '../support/server.js';

/** A repeated request gets the response of the first one (contract responses, section A2). */
describeOnDatabases('one Idempotency-Key of Responses at two instances', (openDatabase) => {
  let database: TestDatabase;
  let servers: TestServer[];
  const model = new ScriptedModelClient(() => [text('It is '), text('fine.'), finish()]);

  beforeAll(async () => {
    database = await openDatabase();
    const start = () => startServer({ database, model });
    servers = [await start(), await start()];
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await database.drop();
  });

  const ask = async (server: TestServer | undefined, key: string, body: object): Promise<[string, string]> => {
    const answered = await fetch(`${server?.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ model: 'worker', input: 'hello', ...body }),
    });
    const answer = (await answered.text()).replace(/^: .*\n\n/gm, '');
    return [`${answered.status} ${answered.headers.get('x-run-id')}`, answer];
  };

  it.each([false, true])('requests at once begin one run and get equal answers, stream %s', async (stream) => {
    for (let time = 0; time < 5; time += 1) {
      const before = model.requests.length;
      const key = `at-once-${String(stream)}-${time}`;
      const answers = await Promise.all([0, 1, 0, 1].map((place) => ask(servers[place], key, { stream })));
      expect(answers[0]?.[0]).toMatch(/^200 resp_/);
      for (const answer of answers) expect(answer).toEqual(answers[0]);
      expect(model.requests.length - before).toBe(1);
    }
  });

  it('requests at once that continue a response begin one run', async () => {
    const first = JSON.parse((await ask(servers[0], 'first', {}))[1]) as { id: string };
    const before = model.requests.length;
    const more = { previous_response_id: first.id };
    const answers = await Promise.all([0, 1, 0, 1].map((place) => ask(servers[place], 'second', more)));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(model.requests.length - before).toBe(1);
  });
});
