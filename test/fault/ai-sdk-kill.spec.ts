import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { FrameReader } from '../support/frame-reader.js';
import { counted } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';

const COUNT = 30;
/** Kills of one run of this spec; the points are chosen at random. */
const KILLS = 20;

jest.setTimeout(600_000);

interface Chunk {
  readonly type: string;
  readonly delta?: string;
  readonly messageId?: string;
}

/** A random whole number from 0. */
const below = (end: number): number => Math.floor(Math.random() * end);
const chunksOf = (frames: readonly string[]): Chunk[] =>
  frames.filter((frame) => frame !== '[DONE]').map((frame) => JSON.parse(frame) as Chunk);
const count = (chunks: readonly Chunk[], type: string): number => chunks.filter((one) => one.type === type).length;

/** A page never sees a clean end that is none, and reloads one whole message (contract ui-message-stream, section B3). */
describeOnDatabases('a chat of the AI SDK whose server is killed', (openDatabase) => {
  let database: TestDatabase;
  let server: ServerProcess;

  beforeAll(async () => {
    database = await openDatabase();
    const env = { LEASE_MS: '1500', SWEEP_INTERVAL_MS: '100', AI_SDK_REPLAY_WINDOW_MS: '600000' };
    server = await ServerProcess.start(database, env);
  });
  afterAll(async () => {
    await server?.stop();
    await database.drop();
  });

  const load = async (id: string): Promise<FrameReader> => {
    const page = new FrameReader(`${server.url}/ai-sdk/${id}/stream`);
    expect(await page.ended).toBe('clean');
    return page;
  };

  it(`is resumed with one whole message, and its client never saw a clean end (${KILLS} times)`, async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const id = `killed-${kill}-${Date.now()}`;
      const text = `count to ${COUNT} slowly`;
      const first = new FrameReader(`${server.url}/ai-sdk`, {
        id,
        messages: [{ id: `m-${id}`, role: 'user', parts: [{ type: 'text', text }] }],
      });
      await first.until(3 + below(COUNT - 5));
      const isPolite = kill % 5 === 4;
      await (isPolite ? server.terminate() : server.kill());
      const ending = await first.ended;
      if (!first.frames.includes('[DONE]')) expect([kill, ending]).toEqual([kill, 'cut']);
      await server.restart();

      let page = await load(id);
      // On a busy machine a worker may lose its lease while the page reads: then the next load is whole.
      if (count(chunksOf(page.frames), 'text-start') > 1) page = await load(id);
      expect(page.frames.at(-1)).toBe('[DONE]');
      const chunks = chunksOf(page.frames);
      expect(chunks[0]?.messageId).toBe(`answer_${first.runId}`);
      expect([count(chunks, 'start'), count(chunks, 'finish'), count(chunks, 'text-start')]).toEqual([1, 1, 1]);
      expect(chunks.map(({ delta = '' }) => delta).join('')).toBe(counted(COUNT));

      // A run is watched with the bytes that its first client has read.
      const watcher = new FrameReader(`${server.url}/runs/${first.runId}/events?protocol=ai-sdk`);
      await watcher.ended;
      const seen = first.frames.filter((frame) => frame !== '[DONE]');
      expect(watcher.frames.slice(0, seen.length)).toEqual(seen);
      const after = below(seen.length);
      const rest = new FrameReader(`${server.url}/runs/${first.runId}/events?protocol=ai-sdk&after=${after}`);
      await rest.ended;
      expect(rest.frames).toEqual(watcher.frames.slice(after));
    }
  });
});
