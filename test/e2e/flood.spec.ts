import { rawUpstream, type RawUpstream } from '../../src/agent/adapters/testing/raw-upstream.js';
import { answerText, expectWhole, ProcessClient } from '../support/process-client.js';
import { startServer, type TestServer } from '../support/server.js';

const PIECES = 50_000;

function answer(pieces: number): string {
  const chunk = (delta: object, finish_reason: string | null): string =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const words = Array.from({ length: pieces }, (_, index) => chunk({ content: `w${index} ` }, null));
  return [...words, chunk({}, 'stop'), 'data: [DONE]\n\n'].join('');
}

describe('a model that sends 50,000 pieces at once', () => {
  let upstream: RawUpstream;
  let server: TestServer;
  let client: ProcessClient;

  beforeAll(async () => {
    upstream = await rawUpstream((response) => {
      const isFlood = JSON.stringify(upstream.seen.at(-1)?.body).includes('flood');
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer(isFlood ? PIECES : 3));
    });
    server = await startServer({ env: { LLM_BASE_URL: upstream.url, LLM_API_KEY: 'k', LLM_MODEL: 'm' } });
    client = new ProcessClient(server.url);
  });
  afterAll(async () => {
    await server.close();
    await upstream.close();
  });

  it('the first pieces are shown at once, and other runs are answered before the end', async () => {
    const flood = await client.say('flood', { session_id: 'flood' });
    await flood.until(({ frames }) => frames.some(({ delta }) => delta === true));
    const seen = flood.frames.length;
    expect(seen).toBeLessThan(PIECES / 2);

    const others = await Promise.all(
      ['a', 'b', 'c'].map((name) => client.ask('short', { session_id: name }).then(({ frames }) => frames)),
    );
    for (const frames of others) expect(answerText(expectWhole(frames))).toBe('w0 w1 w2 ');
    const { body } = await client.read(flood.frames[0]?.id ?? '');
    expect(body.status).toBe('in_progress');

    await flood.all();
    const last = expectWhole(flood.frames);
    expect(answerText(last).split(' ')).toHaveLength(PIECES + 1);
  });
});
