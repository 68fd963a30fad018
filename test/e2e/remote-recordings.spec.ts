import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type SeenRequest, UpstreamDouble } from '../../src/agent/adapters/testing/responses-double.js';
import { Database } from '../../src/database/index.js';
import { runInput, RunsClient } from '../support/runs-client.js';
import { startServer, type TestServer } from '../support/server.js';
import { type Shown, type Wire, WIRES } from '../support/wires.js';

const FOLDER = join(__dirname, '../fixtures/remote-streams');
const read = (name: string): Buffer => readFileSync(join(FOLDER, name));

/** A recorded answer, and what every wire shows of it. */
interface Recording {
  readonly file: string;
  readonly text: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: unknown; readonly output: unknown }[];
  /** Where the dialect counts tokens. */
  readonly usage?: { readonly input: number; readonly output: number };
}

const KINDS: Readonly<Record<string, { readonly entry: object; readonly recordings: readonly Recording[] }>> = {
  'agent-api': {
    entry: {},
    recordings: [
      {
        file: 'agentscope-runtime-1.sse',
        text: 'High water is at 07:41 — bring boots 🥾.',
        calls: [
          {
            name: 'tide_table',
            arguments: { harbour: 'Saint-Malo', day: 'tomorrow' },
            output: [{ type: 'text', text: 'High water 07:41 · 12.1 m' }],
          },
        ],
        usage: { input: 31, output: 17 },
      },
      { file: 'agent-api-documented.sse', text: 'Low water, then fog.' },
    ],
  },
  'ag-ui': {
    entry: {},
    recordings: [
      {
        file: 'langgraph-ag-ui.sse',
        text: 'Two trains are late.',
        calls: [{ name: 'delays', arguments: { line: 'RE 7' }, output: [7, 12] }],
      },
      {
        file: 'pydantic-ai-ag-ui.sse',
        text: '34 seals, one asleep.',
        calls: [{ name: 'count_seals', arguments: { bay: 'north' }, output: 34 }],
      },
      {
        file: 'chunks-ag-ui.sse',
        text: 'Asking the lighthouse. It is lit.',
        calls: [{ name: 'lamp', arguments: { on: true }, output: 'lit' }],
      },
    ],
  },
  responses: {
    entry: { background: false },
    recordings: [
      {
        file: 'model-server-responses.sse',
        text: 'Waves: 2 m at buoy 4.',
        calls: [{ name: 'buoy', arguments: { id: 4 }, output: '2 m' }],
        usage: { input: 40, output: 21 },
      },
    ],
  },
  a2a: {
    entry: {},
    recordings: [
      { file: 'python-a2a-0.3.sse', text: 'Behind the third island.' },
      { file: 'snapshots-a2a-1.0.sse', text: 'North by west.' },
    ],
  },
  'agentscope-2': {
    entry: { agentId: 'pilot' },
    recordings: [
      {
        file: 'agentscope-2.sse',
        text: '4.5 m — enough.',
        calls: [{ name: 'sound', arguments: { at: 'bar' }, output: '4.5 m' }],
        usage: { input: 50, output: 14 },
      },
    ],
  },
};

/** Sizes of the pieces in which a recording arrives, in bytes. */
const SIZES = [1, 7, Number.POSITIVE_INFINITY];

/** JSON as its value, so that spaces do not count; any other text as it is. */
function plain(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null') as unknown;
  } catch {
    return text;
  }
}

/** Writes bytes in pieces that arrive one by one. */
function writeIn(size: number, response: ServerResponse, bytes: Buffer, done: () => void): void {
  const next = (at: number): void => {
    if (at >= bytes.length || response.destroyed) return done();
    response.write(bytes.subarray(at, Math.min(at + size, bytes.length)), () => setImmediate(() => next(at + size)));
  };
  response.socket?.setNoDelay(true);
  next(0);
}

describe.each(Object.entries(KINDS))('recorded streams behind a remote agent: %s', (kind, { entry, recordings }) => {
  let upstream: UpstreamDouble;
  let server: TestServer;
  let recording: string;
  let size: number;
  /** The open stream of a session of AgentScope, and the id of the message that its run has got. */
  let session: { response?: ServerResponse; asked?: string; isRunning: boolean } = { isRunning: false };

  const json = (response: ServerResponse, status: number, body: object): void =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  const open = (response: ServerResponse): void =>
    void response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' }).flushHeaders();

  function answer(response: ServerResponse, request: SeenRequest): void {
    if (kind === 'agentscope-2') return serve(response, request);
    if (request.method === 'GET') return json(response, 200, card());
    open(response);
    writeIn(size, response, read(recording), () => response.end());
  }

  function card(): object {
    const more = recording.includes('0.3')
      ? { url: upstream.url, preferredTransport: 'JSONRPC', protocolVersion: '0.3.0' }
      : { supportedInterfaces: [{ url: upstream.url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }] };
    return { name: 'a', capabilities: { streaming: true }, skills: [], ...more };
  }

  /** A session of AgentScope: a run is only started, and its events come on the stream that is open. */
  function serve(response: ServerResponse, { method, path, body }: SeenRequest): void {
    const { pathname } = new URL(path, upstream.url);
    if (pathname === '/sessions/') return json(response, 201, { session_id: 's' });
    if (pathname.endsWith('/stream')) {
      session.response = response;
      open(response);
      return;
    }
    if (pathname.endsWith('/messages')) {
      const stored = JSON.parse(read(recording.replace('.sse', '.messages.json')).toString()) as object[];
      const messages = [{ id: session.asked, role: 'user', name: 'user', content: [] }, ...stored];
      return json(response, 200, { messages: session.isRunning ? [] : messages, is_running: session.isRunning });
    }
    if (method !== 'POST' || pathname !== '/chat/') return json(response, 404, {});
    session.asked = (body['input'] as { id: string }[]).at(-1)?.id ?? '';
    session.isRunning = true;
    json(response, 200, { status: 'started', session_id: 's' });
    const stream = session.response;
    if (stream) writeIn(size, stream, read(recording), () => (session.isRunning = false));
  }

  beforeAll(async () => {
    upstream = await UpstreamDouble.start(answer);
    // Each version of A2A has an agent of its own, because a card is kept.
    const agents = Object.fromEntries(
      [kind, ...recordings.map(({ file }) => nameOf(file))].map((name) => [
        name,
        { type: kind, url: upstream.url, idleMs: 20_000, ...entry },
      ]),
    );
    server = await startServer({
      env: { AUTH: 'none', DEFAULT_AGENT: kind, REMOTE_AGENTS: JSON.stringify({ agents }) },
    });
  });
  beforeEach(() => {
    session = { isRunning: false };
  });
  afterAll(async () => {
    await server.close();
    await upstream.close();
  });

  function nameOf(file: string): string {
    return file.replace(/\.sse$/, '').replaceAll('.', '-');
  }

  async function ask(wire: Wire, agent: string): Promise<Shown> {
    const { path, body } = wire.say({ sessionId: randomUUID(), words: 'Where?', turn: 1 });
    const named = 'model' in body ? { model: agent, conversation: undefined } : {};
    const props = 'forwardedProps' in body ? { forwardedProps: { agent_type: agent } } : {};
    const sent = await fetch(server.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, ...named, ...props }),
    });
    const stream = await sent.text();
    expect([wire.name, sent.status, sent.ok ? '' : stream]).toEqual([wire.name, 200, '']);
    return wire.shown(stream.replaceAll(/^: .*\n\n/gm, ''));
  }

  describe.each(SIZES)('in pieces of %d bytes', (pieces) => {
    it.each(recordings)('$file is the same on every wire', async ({ file, text, calls = [], usage }) => {
      [recording, size] = [file, pieces];
      for (const wire of WIRES) {
        session = { isRunning: false };
        // Wires that name no agent ask the default one; of A2A that is one of the versions only.
        const isNamed = ['responses', 'chat-completions', 'runs'].includes(wire.name);
        if (kind === 'a2a' && !isNamed) continue;
        const shown = await ask(wire, kind === 'a2a' ? nameOf(file) : kind);
        const parts = shown.calls.map((call) => ({
          name: call.name,
          arguments: plain(call.arguments),
          output: call.output === undefined ? undefined : plain(call.output),
        }));
        // Some wires show an image in the text.
        const words = shown.text.replaceAll(/\s*!\[image\]\([^)]*\)/g, '');
        expect([wire.name, words, parts]).toEqual([
          wire.name,
          text,
          calls.map((call) => (wire.name === 'chat-completions' ? { ...call, output: undefined } : call)),
        ]);
        if (usage && shown.usage) expect([wire.name, shown.usage]).toEqual([wire.name, usage]);
      }
    });
  });

  if (kind === 'agent-api') {
    it.each([
      ['agentscope-runtime-1-failed.sse', 'The quota of the model is used up'],
      ['agentscope-runtime-1-error.sse', 'The worker has gone'],
    ])('%s fails the run with what the agent says', async (file, message) => {
      for (const pieces of SIZES) {
        [recording, size] = [file, pieces];
        const client = new RunsClient(server.url);
        const { body } = await client.submit(runInput('Where?', { forwardedProps: { agent_type: kind } }));
        const { status, error } = await client.ended(body.threadId, body.runId);
        expect([status, error?.message]).toEqual(['failed', message]);
      }
    });
  }

  if (kind === 'ag-ui') {
    it('langgraph-ag-ui-interrupt.sse is a question of this server', async () => {
      for (const pieces of SIZES) {
        [recording, size] = ['langgraph-ag-ui-interrupt.sse', pieces];
        const runs = WIRES.find(({ name }) => name === 'runs');
        expect((await ask(runs as Wire, kind)).text).toBe('I have two plans.');
        const [asked] = await server
          .get(Database)
          .read.all<object>('SELECT kind, status, message, reason FROM interrupts ORDER BY no DESC LIMIT 1');
        expect(asked).toEqual({ kind: 'input', status: 'pending', message: 'Slow or fast?', reason: 'input_required' });
      }
    });
  }
});
