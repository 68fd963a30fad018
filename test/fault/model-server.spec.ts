import { LLMock } from '@copilotkit/aimock';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { answerText, expectWhole, ProcessClient } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';

const STORY = 'Once upon a time a server was killed in the middle of a sentence, and nobody noticed.';

describeOnDatabases('a server that is killed during the answer of its model', (openDatabase) => {
  let database: TestDatabase;
  let server: ServerProcess;
  let upstream: LLMock;

  beforeAll(async () => {
    upstream = new LLMock({ port: 0, chunkSize: 4 });
    upstream.onMessage('tell me a story', { content: STORY }, { latency: 20 });
    await upstream.start();
    database = await openDatabase();
    server = await ServerProcess.start(database, { LLM_BASE_URL: `${upstream.url}/v1` });
  });

  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    await database.drop();
  });

  it('the model is asked again and the partial answer is discarded', async () => {
    const client = new ProcessClient(server.url);
    const stream = await client.say('tell me a story', { session_id: 'story' });
    await stream.until(({ frames }) => frames.filter(({ object, delta }) => object === 'content' && delta).length > 3);
    await server.kill();
    await stream.all();
    await server.restart();

    const rest = await client.resume(stream.frames[0]?.id as string, stream.last.sequence_number);
    const last = expectWhole([...stream.frames, ...(await rest.all()).frames]);
    expect({ done: rest.done, status: last.status, text: answerText(last) }).toEqual({
      done: true,
      status: 'completed',
      text: STORY,
    });
    expect(upstream.getRequests()).toHaveLength(2);
    // What was taken back is no history: the model gets one story in the next run.
    await client.ask('hello again', { session_id: 'story' });
    expect(JSON.stringify(upstream.getRequests().at(-1)?.body).match(/Once upon/g)).toHaveLength(1);
  });
});
