import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { AppError } from '../../src/common/index.js';
import { CompletionDecoder } from '../../src/agent/adapters/chat-completions/completion-decoder.js';
import { SseSplitter } from '../../src/agent/adapters/chat-completions/sse-splitter.js';
import { ChatCompletionsModelClient } from '../../src/agent/adapters/index.js';
import type { ModelEvent } from '../../src/agent/index.js';
import { request } from '../../src/agent/adapters/testing/collect.js';
import { rawUpstream, type RawUpstream } from '../../src/agent/adapters/testing/raw-upstream.js';
import { randomOf } from '../support/random.js';

const FIXTURES = join(__dirname, '../fixtures/chat-completions');
const NAMES = readdirSync(FIXTURES)
  .filter((file) => file.endsWith('.sse'))
  .map((file) => file.slice(0, -'.sse'.length));

/** What stands for the origin of the state in the expected events. */
const HOST = 'HOST';

/** What a stream becomes: its events, and the code it fails with when it does. */
interface Outcome {
  readonly events: readonly ModelEvent[];
  readonly error?: string;
}

interface Fixture extends Outcome {
  /** The names of the tools that were offered. */
  readonly tools?: readonly string[];
}

const FIXTURES_BY_NAME = NAMES.map((name) => ({
  name,
  bytes: readFileSync(join(FIXTURES, `${name}.sse`)),
  fixture: JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), 'utf8')) as Fixture,
}));

type Cut = (bytes: Buffer) => readonly Buffer[];

function randomPieces(bytes: Buffer, seed: number): readonly Buffer[] {
  const next = randomOf(seed);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += pieces.at(-1)?.length ?? 1) {
    pieces.push(bytes.subarray(at, at + 1 + Math.floor(next() * 90)));
  }
  return pieces;
}

const CUTS: readonly (readonly [string, Cut])[] = [
  ['whole', (bytes) => [bytes]],
  ['byte by byte', (bytes) => Array.from(bytes, (byte) => Buffer.from([byte]))],
  [
    'in pieces of 7 bytes',
    (bytes) => Array.from({ length: Math.ceil(bytes.length / 7) }, (_, n) => bytes.subarray(n * 7, n * 7 + 7)),
  ],
  ['in random pieces', (bytes) => randomPieces(bytes, 1)],
  ['in other random pieces', (bytes) => randomPieces(bytes, 2)],
];

/** Writes each piece in a turn of its own, so that the pieces are read apart. */
function play(response: ServerResponse, pieces: readonly Buffer[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let next = 0;
  const write = (): void => {
    const piece = pieces[next];
    next += 1;
    if (!piece) response.end();
    else response.write(piece, () => setImmediate(write));
  };
  write();
}

async function replay(url: string, { tools = [] }: Fixture): Promise<Outcome> {
  const settings = {
    provider: 'x',
    baseUrl: url,
    apiKey: 'k',
    model: 'm',
    firstTokenTimeoutMs: 20_000,
    idleTimeoutMs: 20_000,
  };
  const client = new ChatCompletionsModelClient(
    { ...settings, maxRetries: 0 },
    { read: () => Promise.resolve(undefined) },
    { logFailure: () => undefined },
  );
  const offered = tools.map((name) => ({ name, description: '', parameters: { type: 'object' } }));
  const events: ModelEvent[] = [];
  try {
    for await (const batch of client.stream(request('hi', offered), new AbortController().signal))
      events.push(...batch);
    return { events };
  } catch (error) {
    return { events, error: error instanceof AppError ? error.code : String(error) };
  }
}

describe.each(FIXTURES_BY_NAME)('the stream in the dialect of $name', ({ bytes, fixture }) => {
  let upstream: RawUpstream;
  let cut: Cut;

  beforeAll(async () => {
    upstream = await rawUpstream((response) => play(response, cut(bytes)));
  });
  afterAll(() => upstream.close());

  it.each(CUTS)('the stream becomes the same events, sent %s', async (_, pieces) => {
    cut = pieces;
    const outcome = await replay(upstream.url, fixture);
    const { tools: _tools, ...expected } = fixture;
    expect(JSON.parse(JSON.stringify(outcome).replaceAll(new URL(upstream.url).host, HOST))).toEqual(expected);
  });
});

/** What is read of bytes that come in these pieces, without a connection. */
function read(pieces: readonly Buffer[], toolNames: readonly string[]): unknown {
  const splitter = new SseSplitter();
  const decoder = new CompletionDecoder({ origin: HOST, toolNames });
  const events: ModelEvent[] = [];
  const drain = (): void => {
    for (;;) {
      if (decoder.decodeAlike(splitter, 64, events)) continue;
      const data = splitter.next();
      if (data === undefined) return;
      if (data === '[DONE]') decoder.end(events, true);
      else if (data !== '') decoder.decode(data, splitter.eventName, events);
    }
  };
  try {
    for (const piece of pieces) {
      splitter.push(piece);
      drain();
    }
    splitter.end();
    drain();
    if (!events.some(({ type }) => type === 'finish')) decoder.end(events);
    return events;
  } catch (error) {
    return { events, error: (error as Error).message };
  }
}

describe('the dialects', () => {
  it('at least 25 servers are covered', () => {
    expect(new Set(NAMES.map((name) => name.split('-')[0])).size).toBeGreaterThanOrEqual(25);
  });

  it('any split of the bytes of any stream gives the same events', () => {
    const stream = fc.constantFrom(...FIXTURES_BY_NAME);
    fc.assert(
      fc.property(stream, fc.array(fc.nat(6000), { maxLength: 40 }), ({ bytes, fixture }, cuts) => {
        const tools = fixture.tools ?? [];
        const at = [0, ...cuts.filter((one) => one < bytes.length).sort((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((to, index) => bytes.subarray(at[index], to));
        expect(read(pieces, tools)).toEqual(read([bytes], tools));
      }),
      { numRuns: 600 },
    );
  });
});
