import { request } from 'node:http';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { counted } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';
import { SseParser } from '../support/sse.js';

const COUNT = 30;
/** Kills of one run of this spec; the points are chosen at random. */
const KILLS = 20;

jest.setTimeout(600_000);

/** How the connection of a client ended. */
type Ending = 'clean' | 'cut';

/** The frames of a completion as its client reads them. */
class Reader {
  readonly frames: string[] = [];
  runId = '';
  private readonly parser = new SseParser();
  private wake: () => void = () => undefined;
  private over = false;

  /** Aborted or complete: a body that ends with an error was cut. */
  readonly ended: Promise<Ending>;

  constructor(url: string, body?: object) {
    this.ended = new Promise((resolve) => {
      const end = (ending: Ending): void => {
        this.over = true;
        this.wake();
        resolve(ending);
      };
      const outgoing = request(
        url,
        { method: body ? 'POST' : 'GET', headers: { 'content-type': 'application/json' } },
        (response) => {
          this.runId = String(response.headers['x-run-id'] ?? '');
          response.setEncoding('utf8');
          response.on('data', (text: string) => {
            for (const { data } of this.parser.push(text)) this.frames.push(data);
            this.wake();
          });
          response.once('end', () => end(response.complete ? 'clean' : 'cut'));
          response.once('error', () => end('cut'));
        },
      );
      outgoing.once('error', () => end('cut'));
      outgoing.end(body && JSON.stringify(body));
    });
  }

  async until(frames: number): Promise<void> {
    while (this.frames.length < frames && !this.over) await new Promise<void>((resolve) => (this.wake = resolve));
  }
}

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

  const start = (): Reader =>
    new Reader(`${server.url}/v1/chat/completions?on_disconnect=continue`, {
      model: 'worker',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: `count to ${COUNT} slowly` }],
    });
  const reopen = (runId: string, after: number): Reader =>
    new Reader(`${server.url}/runs/${runId}/events?protocol=chat-completions&after=${after}`);

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
