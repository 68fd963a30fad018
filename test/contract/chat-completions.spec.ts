import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerResponse } from 'node:http';
import { AppError } from '../../src/common/index.js';
import { ChatCompletionsModelClient } from '../../src/agent/adapters/index.js';
import type { ModelEvent } from '../../src/agent/index.js';
import { request } from '../../src/agent/adapters/testing/collect.js';
import { rawUpstream, type RawUpstream } from '../../src/agent/adapters/testing/raw-upstream.js';
import { randomOf } from '../support/random.js';

const FIXTURES = join(__dirname, '../fixtures/chat-completions');
const NAMES = readdirSync(FIXTURES)
  .filter((file) => file.endsWith('.sse'))
  .map((file) => file.slice(0, -'.sse'.length));

/** What a stream becomes: its events, and the code it fails with when it does. */
interface Expected {
  readonly events: readonly ModelEvent[];
  readonly error?: string;
}

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

async function replay(url: string): Promise<Expected> {
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
  );
  const events: ModelEvent[] = [];
  try {
    for await (const batch of client.stream(request('hi'), new AbortController().signal)) events.push(...batch);
    return { events };
  } catch (error) {
    return { events, error: error instanceof AppError ? error.code : String(error) };
  }
}

describe.each(NAMES)('the stream in the dialect of %s', (name) => {
  const bytes = readFileSync(join(FIXTURES, `${name}.sse`));
  const expected = JSON.parse(readFileSync(join(FIXTURES, `${name}.json`), 'utf8')) as Expected;
  let upstream: RawUpstream;
  let cut: Cut;

  beforeAll(async () => {
    upstream = await rawUpstream((response) => play(response, cut(bytes)));
  });
  afterAll(() => upstream.close());

  it.each(CUTS)('the stream becomes the same events, sent %s', async (_, pieces) => {
    cut = pieces;
    expect(await replay(upstream.url)).toEqual(expected);
  });
});

describe('the dialects', () => {
  it('at least eight providers are covered', () => {
    expect(new Set(NAMES.map((name) => name.split('-')[0])).size).toBeGreaterThanOrEqual(8);
  });
});
