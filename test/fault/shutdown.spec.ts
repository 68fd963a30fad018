import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { answerText, counted, expectWhole, isTerminal, ProcessClient } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';

const STREAMS = 10;
const COUNT = 40;

describeOnDatabases('a server that is stopped by SIGTERM', (openDatabase) => {
  let database: TestDatabase;
  let server: ServerProcess;

  beforeAll(async () => {
    database = await openDatabase();
    server = await ServerProcess.start(database, { SHUTDOWN_GRACE_MS: '100' });
  });

  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  it('the streams in progress lose no event', async () => {
    const client = new ProcessClient(server.url);
    const streams = await Promise.all(Array.from({ length: STREAMS }, () => client.say(`count to ${COUNT} slowly`)));
    await Promise.all(streams.map((stream) => stream.until(({ frames }) => frames.length >= 8)));
    const [code] = await Promise.all([server.terminate(), ...streams.map((stream) => stream.all())]);
    expect(code).toBe(0);
    for (const { frames, done } of streams)
      expect({ done, ended: frames.some(isTerminal) }).toEqual({ done: false, ended: false });

    await server.restart();
    await Promise.all(
      streams.map(async ({ frames, last }) => {
        const rest = await client.resume(frames[0]?.id as string, last.sequence_number);
        const end = expectWhole([...frames, ...(await rest.all()).frames]);
        expect({ status: end.status, text: answerText(end) }).toEqual({ status: 'completed', text: counted(COUNT) });
      }),
    );
  });
});
