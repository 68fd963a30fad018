import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { LLMock } from '@copilotkit/aimock';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { answerText, counted, expectWhole, ProcessClient } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

const MEGABYTE = 'x'.repeat(1024 * 1024);

describeOnDatabases('a server under load', (openDatabase) => {
  let database: TestDatabase;
  let server: ServerProcess;
  let client: ProcessClient;

  beforeAll(async () => {
    database = await openDatabase();
    server = await ServerProcess.start(database);
    client = new ProcessClient(server.url);
  });

  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  it('50 parallel streams are complete', async () => {
    const streams = await Promise.all(
      Array.from({ length: 50 }, (_, index) => client.ask(`count to ${20 + index}${index % 2 ? ' slowly' : ''}`)),
    );
    for (const [index, { frames, done }] of streams.entries()) {
      const last = expectWhole(frames);
      expect({ done, status: last.status, text: answerText(last) }).toEqual({
        done: true,
        status: 'completed',
        text: counted(20 + index),
      });
    }
  });
});

describeOnDatabases('a reader that stops reading', (openDatabase) => {
  let database: TestDatabase;
  let server: ServerProcess;
  let upstream: LLMock;

  beforeAll(async () => {
    upstream = new LLMock({ port: 0, chunkSize: 16_384 });
    upstream.onMessage('a lot', { content: MEGABYTE.repeat(4) });
    upstream.onMessage('far too much', { content: MEGABYTE.repeat(8) });
    upstream.onMessage('a little', { content: 'Here it is.' });
    await upstream.start();
    database = await openDatabase();
    server = await ServerProcess.start(database, {
      LLM_BASE_URL: `${upstream.url}/v1`,
      SLOW_READER_TIMEOUT_MS: '500',
      LOG_LEVEL: 'info',
    });
  });

  afterAll(async () => {
    await server.stop();
    await upstream.stop();
    await database.drop();
  });

  it('other readers are not delayed, and the slow reader can resume', async () => {
    const client = new ProcessClient(server.url);
    const slow = await client.say('I want a lot');
    await slow.until(({ frames }) => frames.length > 4);
    const others = await Promise.all(Array.from({ length: 10 }, () => client.ask('I want a little')));
    for (const { frames } of others) expect(answerText(expectWhole(frames))).toBe('Here it is.');

    const id = slow.frames[0]?.id as string;
    expect((await client.ended(id)).status).toBe('completed');
    const frames = [...(await slow.all()).frames];
    // On a busy machine the resumed reader can be too slow once more.
    for (let stream = slow; !stream.done; frames.push(...stream.frames))
      stream = await (await client.resume(id, frames.at(-1)?.sequence_number ?? -1)).all();
    const last = expectWhole(frames);
    expect(answerText(last)).toHaveLength(4 * MEGABYTE.length);
  });

  it('the reader is disconnected after the time-out, and the run completes', async () => {
    const departures = (): number => server.output.split('left by the client').length;
    const before = departures();
    const socket = await post(server.port, 'far too much');
    socket.pause();
    await until(() => departures() > before, 'the server has disconnected the reader');
    let received = '';
    socket.on('data', (data: Buffer) => (received += data.toString('latin1'))).resume();
    await once(socket, 'close');
    expect(received.length).toBeLessThan(20 * MEGABYTE.length);
    expect(received).not.toContain('[DONE]');
    const id = /x-run-id: (.+)\r/i.exec(received)?.[1] as string;
    const client = new ProcessClient(server.url);
    expect(answerText(await client.ended(id))).toHaveLength(8 * MEGABYTE.length);
  });
});

/** A request on a bare connection, which takes from the network only what the test lets it take. */
async function post(port: number, text: string): Promise<Socket> {
  const input = [{ role: 'user', content: [{ type: 'text', text }] }];
  const body = JSON.stringify({ input });
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  await once(socket, 'connect');
  const head = [
    'POST /process HTTP/1.1',
    'host: localhost',
    'content-type: application/json',
    `content-length: ${body.length}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  return socket;
}
