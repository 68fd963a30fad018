import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LLMock } from '@copilotkit/aimock';
import { COUNTING_SERVER } from '../support/counting-fleet.js';
import { describeOnDatabases, type TestDatabase } from '../support/databases.js';
import { FrameReader } from '../support/frame-reader.js';
import { counted } from '../support/process-client.js';
import { ServerProcess } from '../support/server-process.js';
import { until } from '../support/until.js';

const COUNT = 30;
/** How often the server is killed, and how many answers are in progress each time: 50 of them are cut. */
const KILLS = 10;
const TEXTS = 3;
const TOOLS = ['none', 'idempotent'] as const;
/** Between two pieces of a model's answer, in milliseconds. */
const PAUSE_MS = 20;

jest.setTimeout(600_000);

interface Chunk {
  readonly type: string;
  readonly delta?: string;
  readonly messageId?: string;
  readonly toolCallId?: string;
  readonly errorText?: string;
}

/** A chat whose answer is cut. */
interface Cut {
  readonly id: string;
  readonly reader: FrameReader;
  readonly words: string;
  /** True if it calls a tool. */
  readonly isTool: boolean;
}

/** A random whole number from 0. */
const below = (end: number): number => Math.floor(Math.random() * end);
const chunksOf = (frames: readonly string[]): Chunk[] =>
  frames.filter((frame) => frame !== '[DONE]').map((frame) => JSON.parse(frame) as Chunk);
const count = (chunks: readonly Chunk[], type: string): number => chunks.filter((one) => one.type === type).length;
const textOf = (chunks: readonly Chunk[]): string =>
  chunks.map(({ type, delta = '' }) => (type === 'text-delta' ? delta : '')).join('');
/** Whether something of the answer was written twice. */
const hasDouble = (chunks: readonly Chunk[]): boolean =>
  count(chunks, 'text-start') > 1 || chunks.some(({ errorText }) => errorText === 'discarded');

/** A page never sees a clean end that is none, and reloads one whole message (contract ui-message-stream, section B3). */
describeOnDatabases('a chat of the AI SDK whose server is killed', (openDatabase) => {
  let database: TestDatabase;
  let upstream: LLMock;
  let server: ServerProcess;
  let folder: string;

  beforeAll(async () => {
    upstream = new LLMock({ port: 0, chunkSize: 3 });
    upstream.on({ userMessage: 'count' }, { content: counted(COUNT) }, { latency: PAUSE_MS });
    for (const effects of TOOLS) {
      const toolCalls = [{ name: `count_${effects}`, arguments: '{}', id: `call_${effects}` }];
      const userMessage = `tool ${effects}`;
      upstream.on({ userMessage, hasToolResult: false }, { toolCalls }, { latency: PAUSE_MS });
      upstream.on({ userMessage, hasToolResult: true }, { content: 'It is counted.' }, { latency: PAUSE_MS });
    }
    await upstream.start();
    database = await openDatabase();
    folder = join(database.env.DATA_DIR, 'counts');
    const policy = join(database.env.DATA_DIR, 'policy.json');
    writeFileSync(policy, JSON.stringify({ rules: [{ tool: '*', effect: 'allow' }] }));
    const env = {
      LEASE_MS: '1500',
      SWEEP_INTERVAL_MS: '100',
      AI_SDK_REPLAY_WINDOW_MS: '600000',
      LLM_BASE_URL: `${upstream.url}/v1`,
      LLM_API_KEY: 'k',
      COUNT_DIR: folder,
      TOOL_POLICY_FILE: policy,
    };
    mkdirSync(folder);
    server = await ServerProcess.start(database, env, COUNTING_SERVER);
  });
  afterAll(async () => {
    await server?.stop();
    await upstream.stop();
    await database.drop();
  });

  const ask = (id: string, text: string, words: string, isTool: boolean): Cut => {
    const messages = [{ id: `m-${id}`, role: 'user', parts: [{ type: 'text', text }] }];
    return { id, words, isTool, reader: new FrameReader(`${server.url}/ai-sdk`, { id, messages }) };
  };
  const load = async (id: string): Promise<FrameReader> => {
    const page = new FrameReader(`${server.url}/ai-sdk/${id}/stream`);
    expect(await page.ended).toBe('clean');
    return page;
  };
  const hasStarted = (effects: string): boolean => {
    try {
      return readFileSync(join(folder, `started-${effects}`), 'utf8') !== '';
    } catch {
      return false;
    }
  };

  /** Answers in progress: texts at any place, calls that are made or that are being executed. */
  async function begin(kill: number): Promise<readonly Cut[]> {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    writeFileSync(join(folder, 'hold-started'), '');
    const chats = [
      ...Array.from({ length: TEXTS }, (_, at) => ask(`text-${kill}-${at}`, 'count', counted(COUNT), false)),
      ...TOOLS.map((effects) => ask(`tool-${kill}-${effects}`, `tool ${effects}`, 'It is counted.', true)),
    ];
    const isInTool = kill % 2 === 0;
    await Promise.all(chats.map(({ reader, isTool }) => reader.until(isTool ? 1 + below(3) : 3 + below(COUNT - 10))));
    if (isInTool) await until(() => TOOLS.every(hasStarted), 'the tools have started');
    return chats;
  }

  /** One whole message, whatever was cut. */
  async function checkPage({ id, words, isTool }: Cut, runId: string): Promise<void> {
    let page = await load(id);
    // On a busy machine a worker may lose its lease while the page reads: then the next load is whole.
    if (hasDouble(chunksOf(page.frames))) page = await load(id);
    expect(page.frames.at(-1)).toBe('[DONE]');
    const chunks = chunksOf(page.frames);
    expect(chunks[0]?.messageId).toBe(`answer_${runId}`);
    expect(chunks.flatMap(({ type, errorText }) => (type === 'error' ? [id, errorText] : []))).toEqual([]);
    expect([count(chunks, 'start'), count(chunks, 'finish'), hasDouble(chunks)]).toEqual([1, 1, false]);
    expect([id, textOf(chunks)]).toEqual([id, words]);
    const called = chunks.flatMap(({ type, toolCallId }) => (type === 'tool-input-available' ? [toolCallId] : []));
    const answered = chunks.flatMap(({ type, toolCallId }) => (type.startsWith('tool-output') ? [toolCallId] : []));
    expect([id, called.length, answered]).toEqual([id, isTool ? 1 : 0, called]);
  }

  /** A run is watched with the bytes that its first client has read, from any place. */
  async function checkRun({ reader }: Cut): Promise<void> {
    const watcher = new FrameReader(`${server.url}/runs/${reader.runId}/events?protocol=ai-sdk`);
    await watcher.ended;
    const seen = reader.frames.filter((frame) => frame !== '[DONE]');
    expect(watcher.frames.slice(0, seen.length)).toEqual(seen);
    const after = below(seen.length);
    const rest = new FrameReader(`${server.url}/runs/${reader.runId}/events?protocol=ai-sdk&after=${after}`);
    await rest.ended;
    expect(rest.frames).toEqual(watcher.frames.slice(after));
  }

  it(`is resumed with one whole message, and its client never saw a clean end (${KILLS} times)`, async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      const chats = await begin(kill);
      const isPolite = kill % 5 === 4;
      await (isPolite ? server.terminate() : server.kill());
      for (const { reader } of chats) {
        const ending = await reader.ended;
        if (!reader.frames.includes('[DONE]')) expect([kill, ending]).toEqual([kill, 'cut']);
      }
      rmSync(join(folder, 'hold-started'), { force: true });
      await server.restart();
      await Promise.all(chats.map((chat) => checkPage(chat, chat.reader.runId)));
      await Promise.all(chats.map(checkRun));
    }
  });
});
