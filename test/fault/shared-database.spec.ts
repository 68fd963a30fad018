import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { answerText, counted, expectWhole, ProcessClient } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';

describeOnDatabases('two servers on one database', (openDatabase) => {
  let database: TestDatabase;
  let a: ServerProcess;
  let b: ServerProcess;
  let atA: ProcessClient;
  let atB: ProcessClient;

  beforeAll(async () => {
    database = await openDatabase();
    // Names of their own: a dead process of another machine is found by its lease alone.
    const env = { LEASE_MS: '1500', SWEEP_INTERVAL_MS: '100' };
    [a, b] = await Promise.all([
      ServerProcess.start(database, { ...env, NODE_NAME: 'a' }),
      ServerProcess.start(database, { ...env, NODE_NAME: 'b' }),
    ]);
    [atA, atB] = [new ProcessClient(a.url), new ProcessClient(b.url)];
  });

  afterAll(async () => {
    await Promise.all([a, b].map((server) => server?.stop()));
    await database.drop();
  });

  it('a run of one server can be streamed from the other', async () => {
    const accepted = await atA.say('count to 20 slowly');
    await accepted.until(({ frames }) => frames.length > 0);
    const other = await atB.resume(accepted.frames[0]?.id as string, -1);
    const [own, others] = await Promise.all([accepted.all(), other.all()]);
    expect(answerText(expectWhole(own.frames))).toBe(counted(20));
    expect(others.frames).toEqual(own.frames);
  });

  it('a run of one server can be stopped at the other', async () => {
    const accepted = await atA.say('count to 300 slowly', { session_id: 'stopped' });
    await accepted.until(({ frames }) => frames.length > 10);
    const { body } = await atB.json<{ stopped: string[] }>('POST', '/stop', { session_id: 'stopped' });
    expect(body.stopped).toEqual([accepted.frames[0]?.id]);
    const last = expectWhole((await accepted.all()).frames);
    expect(last.status).toBe('canceled');
    expect(answerText(last)).toMatch(/^1 2 3/);
  });

  it('a second run of a busy session is refused at both', async () => {
    const accepted = await atA.say('count to 20 slowly', { session_id: 'busy' });
    const refused = await atB.say('hello', { session_id: 'busy' });
    expect(refused.status).toBe(409);
    await accepted.all();
  });

  it('the same request at both servers makes one run', async () => {
    const body = { id: 'one-run', session_id: 'one-run' };
    const streams = await Promise.all([atA, atB, atA, atB].map((client) => client.ask('count to 10 slowly', body)));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    for (const { frames } of streams) expect(frames).toEqual(streams[0]?.frames);
    expect(answerText(expectWhole(streams[0]?.frames ?? []))).toBe(counted(10));
  });

  it('one server takes over a run of the other after its death', async () => {
    const accepted = await atA.say('count to 40 slowly', { session_id: 'taken-over' });
    await accepted.until(({ frames }) => frames.length > 10);
    const other = await atB.resume(accepted.frames[0]?.id as string, -1);
    await a.kill();
    const last = expectWhole((await other.all()).frames);
    expect(last.status).toBe('completed');
    expect(answerText(last)).toBe(counted(40));
    expect(other.frames.slice(0, accepted.frames.length)).toEqual(accepted.frames);
    expect((await atB.ended(last.id as string)).output).toEqual(last.output);
    await a.restart();
  });
});
