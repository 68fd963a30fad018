import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, type ClientRequest, request } from 'node:http';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { sqliteDatabase, type TestDatabase } from '../support/databases.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';
import { type Wire, type WireRequest, WIRES } from '../support/wires.js';

const SERVER = join(__dirname, 'fixtures/retaining-server.mjs');
/** Streams that are open at once. */
const AT_ONCE = 24;
/** Objects of one class that may remain, of thousands: those of the server itself, and the last requests of connections. */
const OBJECTS = 40;
/** Bytes of the heap that may remain for each stream: caches of the server grow to their limits. */
const BYTES = 1024;

/** How a stream ends. */
type Kind = 'whole' | 'failed' | 'cut' | 'cancelled' | 'stopped';

/** How many streams of each kind are opened on each wire. */
const STREAMS: Readonly<Record<Kind, number>> = { whole: 560, failed: 70, cut: 70, cancelled: 70, stopped: 70 };

/** What the model is told. */
const WORDS: Readonly<Record<Kind, string>> = {
  whole: 'speak',
  failed: 'fail',
  cut: 'wait',
  cancelled: 'wait',
  stopped: 'wait',
};

/** What a server has in its heap. */
interface Heap {
  /** Objects by the name of their class: how many were made, and how many of these are left. */
  readonly counts: Readonly<Record<string, { readonly made: number; readonly alive: number }>>;
  readonly bytes: number;
}

const COPILOTKIT: Pick<Wire, 'name' | 'say'> = {
  name: 'copilotkit',
  say: ({ sessionId: threadId, words, turn }) => ({
    path: '/copilotkit/agent/worker/run',
    body: {
      threadId,
      runId: `run-${turn}`,
      messages: [{ id: `m-${turn}`, role: 'user', content: words }],
      tools: [],
      context: [],
      state: {},
      forwardedProps: {},
    },
  }),
};
/** Responses over a WebSocket, a connection for each. */
const SOCKET = 'responses-socket';
const ALL_WIRES = [...[...WIRES, COPILOTKIT].map(({ name }) => name), SOCKET];
/** The events after which a response has no others. */
const ENDS = new Set(['response.completed', 'response.failed', 'response.incomplete', 'error']);

describe('the memory of finished streams', () => {
  let database: TestDatabase;
  let server: ServerProcess;
  let agent: Agent;
  let turns = 0;

  beforeAll(async () => {
    database = await sqliteDatabase();
    // The encoders of cut streams would be kept for 30 seconds.
    server = await ServerProcess.start(database, { RESUME_CACHE_BYTES: '0', LOG_LEVEL: 'silent' }, SERVER);
    agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  });

  afterAll(async () => {
    agent.destroy();
    await server.stop();
    await database.drop();
  });

  it('nothing of 5,000 streams is retained, on every wire, however they end', async () => {
    await streams(0.1);
    const before = await heap(() => true);
    const count = await streams(1);
    expect(count).toBeGreaterThanOrEqual(5000);
    agent.destroy();
    const retained = ({ counts }: Heap): unknown[] => Object.entries(counts).filter(([, { alive }]) => alive > OBJECTS);
    const after = await heap((last) => retained(last).length === 0);
    expect(retained(after)).toEqual([]);
    for (const [name, { made }] of Object.entries(after.counts)) expect([name, made > 500]).toEqual([name, true]);
    expect((after.bytes - before.bytes) / count).toBeLessThan(BYTES);
  }, 240_000);

  /** Opens streams of all kinds on all wires and returns their number. @param share of `STREAMS` */
  async function streams(share: number): Promise<number> {
    const kinds = Object.keys(STREAMS) as Kind[];
    const todo = ALL_WIRES.flatMap((wire) =>
      kinds.flatMap((kind) => Array.from({ length: STREAMS[kind] * share }, () => ({ wire, kind }))),
    );
    const count = todo.length;
    const work = async (): Promise<void> => {
      for (let next = todo.pop(); next; next = todo.pop()) await stream(next.wire, next.kind);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return count;
  }

  async function stream(name: string, kind: Kind): Promise<void> {
    if (name === SOCKET) return socketStream(kind);
    const { say } = [...WIRES, COPILOTKIT].find((wire) => wire.name === name) ?? COPILOTKIT;
    const turn = (turns += 1);
    const sessionId = randomUUID();
    const asked = onDisconnect(name, say({ sessionId, words: WORDS[kind], turn }), kind);
    const stop = (runId: string | undefined): Promise<void> =>
      post(
        runId === undefined ? { path: `/api/v1/agent/runs/${sessionId}/run-${turn}/cancel`, body: {} } : stopOf(runId),
      );
    const leaves = leavesEarly(kind);
    await post(asked, { leaves, ...(kind === 'stopped' && { onFrame: stop }) });
  }

  /** As `stream`, over a connection of its own. A response whose client leaves is cancelled. */
  async function socketStream(kind: Kind): Promise<void> {
    const socket = new WebSocket(`ws://127.0.0.1:${server.port}/v1/responses`);
    await once(socket, 'open');
    const closed = once(socket, 'close');
    let stopped: Promise<void> | undefined;
    socket.on('message', (data: Buffer) => {
      const { type, response } = JSON.parse(data.toString()) as { type: string; response?: { id: string } };
      if (leavesEarly(kind)) socket.terminate();
      else if (ENDS.has(type)) socket.close();
      else if (kind === 'stopped' && response) stopped ??= post(stopOf(response.id));
    });
    socket.send(JSON.stringify({ type: 'response.create', input: WORDS[kind], user: randomUUID() }));
    await closed;
    await stopped;
  }

  /** Reads an answer to its end, or leaves after its first frame. */
  async function post(
    { path, body, headers = [] }: WireRequest,
    {
      leaves,
      onFrame,
    }: { readonly leaves?: boolean; readonly onFrame?: (runId: string | undefined) => Promise<void> } = {},
  ): Promise<void> {
    const given = Object.fromEntries(headers.map((line) => line.split(': ') as [string, string]));
    let outgoing: ClientRequest | undefined;
    await new Promise<void>((resolve, reject) => {
      outgoing = request(
        {
          agent,
          port: server.port,
          host: '127.0.0.1',
          path,
          method: 'POST',
          headers: { 'content-type': 'application/json', ...given },
        },
        (response) => {
          if ((response.statusCode ?? 0) >= 400) reject(new Error(`${path} answers ${response.statusCode}`));
          response.once('data', () => {
            onFrame?.(response.headers['x-run-id']?.toString()).catch(reject);
            if (leaves) outgoing?.destroy();
          });
          response.on('data', () => undefined);
          response.on('error', () => undefined).once('close', resolve);
        },
      );
      outgoing.once('error', (error) => (leaves ? resolve() : reject(error)));
      outgoing.end(JSON.stringify(body));
    });
  }

  /** What is in the heap, once it is as expected; after a while, whatever is in it. */
  async function heap(isExpected: (heap: Heap) => boolean): Promise<Heap> {
    const measured = (): readonly string[] => server.output.match(/^heap .*$/gm) ?? [];
    for (let tries = 1; ; tries += 1) {
      const before = measured().length;
      server.signal('SIGUSR2');
      await until(() => measured().length > before, 'the heap was measured');
      const last = JSON.parse(measured().at(-1)?.slice('heap '.length) ?? '{}') as Heap;
      if (isExpected(last) || tries === 20) return last;
    }
  }
});

function leavesEarly(kind: Kind): boolean {
  return kind === 'cut' || kind === 'cancelled';
}

function stopOf(runId: string): WireRequest {
  return { path: '/stop', body: { response_id: runId } };
}

/** A request whose run is cancelled, or goes on, when its client leaves, where the wire can say so. */
function onDisconnect(name: string, { path, body, headers = [] }: WireRequest, kind: Kind): WireRequest {
  const choice = kind === 'cancelled' ? 'cancel' : 'continue';
  if (name === 'responses') {
    const { conversation: _unknown, ...rest } = body;
    return { path, body: { ...rest, background: choice === 'continue' }, headers };
  }
  if (name === 'copilotkit') return { path, body, headers };
  return { path: `${path}${path.includes('?') ? '&' : '?'}on_disconnect=${choice}`, body, headers };
}
