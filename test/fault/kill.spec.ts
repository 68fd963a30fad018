import { randomInt } from 'node:crypto';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { answerText, counted, expectWhole, type Frame, ProcessClient } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';

const COUNT = 30;

describeOnDatabases('a server that is killed', (openDatabase) => {
  let database: TestDatabase;
  let server: ServerProcess;
  let client: ProcessClient;

  beforeAll(async () => {
    database = await openDatabase();
    server = await ServerProcess.start(database, { RUN_MAX_ATTEMPTS: '5' });
    client = new ProcessClient(server.url);
  });

  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  async function killAndRestart(): Promise<void> {
    await server.kill();
    await server.restart();
  }

  /** Reads a run to its end over as many deaths of the server as there are cuts. */
  async function readOver(cuts: readonly number[], session: string): Promise<readonly Frame[]> {
    const frames: Frame[] = [];
    let stream = await client.say(`count to ${COUNT} slowly`, { session_id: session });
    for (const cut of cuts) {
      const reached = await stream.until(({ frames: read }) => read.length >= cut);
      expect(reached).toBe(true);
      await server.kill();
      await stream.all();
      frames.push(...stream.frames);
      await server.restart();
      stream = await client.resume(frames[0]?.id as string, frames.at(-1)?.sequence_number ?? -1);
      expect(stream.status).toBe(200);
    }
    frames.push(...(await stream.all()).frames);
    expect(stream.done).toBe(true);
    return frames;
  }

  it.each([1, 2, 3])('a run that was cut at a random moment continues after the restart (%d)', async (round) => {
    const cut = randomInt(1, COUNT);
    const session = `killed-${round}`;
    const last = expectWhole(await readOver([cut], session));
    expect({ cut, status: last.status, text: answerText(last) }).toEqual({
      cut,
      status: 'completed',
      text: counted(COUNT),
    });
    const read = await client.read(last.id as string);
    expect(read.body).toMatchObject({ status: 'completed', output: last.output });
    const next = await client.ask('hello', { session_id: session });
    expect(next.status).toBe(200);
    expect(expectWhole(next.frames).status).toBe('completed');
  });

  it('a run that is cut three times continues after every restart', async () => {
    const last = expectWhole(await readOver([8, 8, 8], 'killed-often'));
    expect(last.status).toBe('completed');
    expect(answerText(last)).toBe(counted(COUNT));
  });

  it('the session of a run that nobody reads can be freed', async () => {
    const session = { session_id: 'left' };
    const stream = await client.say('count to 20 slowly', session);
    await stream.until(({ frames }) => frames.length > 5);
    await killAndRestart();
    const stopped = await client.json<{ stopped: string[] }>('POST', '/stop', session);
    expect(stopped.status).toBe(200);
    const next = await client.ask('hello', session, '?multitask=enqueue');
    expect(expectWhole(next.frames).status).toBe('completed');
  });

  it('a session keeps its messages', async () => {
    const session = { session_id: 'alice' };
    await client.ask('My name is Alice', session);
    await killAndRestart();
    const { last } = await client.ask('What is my name?', session);
    expect(answerText(last)).toContain('Alice');
  });
});
