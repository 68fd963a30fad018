import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { counted } from '../support/process-client.js';
import { FrameReader } from '../support/frame-reader.js';
import { ServerProcess } from '../support/server-process.js';

const COUNT = 30;
/** Kills of one run of this spec; the points are chosen at random. */
const KILLS = 20;

jest.setTimeout(600_000);

/** A random whole number from 0. */
const below = (end: number): number => Math.floor(Math.random() * end);

interface Chunk {
  readonly error?: object;
  readonly choices?: readonly {
    readonly delta: { readonly content?: string };
    readonly finish_reason: string | null;
  }[];
}

const chunksOf = (frames: readonly string[]): Chunk[] =>
  frames.filter((frame) => frame !== '[DONE]').map((frame) => JSON.parse(frame) as Chunk);

/** A stream ends in one way, and is continued as it was (contract chat-completions, section B6). */
describeOnDatabases('a completion whose server is killed', (openDatabase) => {
  let database: TestDatabase;
  let server: ServerProcess;

  beforeAll(async () => {
    database = await openDatabase();
    server = await ServerProcess.start(database, { LEASE_MS: '1500', SWEEP_INTERVAL_MS: '100' });
  });
  afterAll(async () => {
    await server?.stop();
    await database.drop();
  });

  const start = (): FrameReader =>
    new FrameReader(`${server.url}/v1/chat/completions?on_disconnect=continue`, {
      model: 'worker',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: `count to ${COUNT} slowly` }],
    });
  const reopen = (runId: string, after: number): FrameReader =>
    new FrameReader(`${server.url}/runs/${runId}/events?protocol=chat-completions&after=${after}`);

  it(`is reopened with the same bytes from any frame, and its client never saw a clean end (${KILLS} times)`, async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const reader = start();
      await reader.until(1 + below(COUNT - 5));
      const isPolite = kill % 5 === 4;
      await (isPolite ? server.terminate() : server.kill());
      const ending = await reader.ended;
      const seen = reader.frames.filter((frame) => frame !== '[DONE]');
      const wasDone = reader.frames.includes('[DONE]');
      // A server that is asked to stop lets streams go on for a while.
      if (!wasDone) expect([kill, ending]).toEqual([kill, 'cut']);
      await server.restart();

      const whole = reopen(reader.runId, 0);
      expect(await whole.ended).toBe('clean');
      expect(whole.frames.at(-1)).toBe('[DONE]');
      expect(whole.frames.slice(0, seen.length)).toEqual(seen);
      const chunks = chunksOf(whole.frames);
      const ends = chunks.filter(({ error, choices }) => error || choices?.[0]?.finish_reason);
      expect(ends).toHaveLength(1);
      const text = chunks.map(({ choices }) => choices?.[0]?.delta.content ?? '').join('');
      expect(text === counted(COUNT) || text.endsWith(`\n\n${counted(COUNT)}`)).toBe(true);

      const after = below(chunks.length);
      const rest = reopen(reader.runId, after);
      await rest.ended;
      expect(rest.frames).toEqual(whole.frames.slice(after));
    }
  });
});
